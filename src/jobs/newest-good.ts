import type { BackupStatus } from "./backup-status.ts";
import type { BackupTools } from "./backup-tools.ts";
import { examineStored } from "./examine-stored.ts";
import type { JobContext } from "./job-context.ts";
import type { StoredArchive } from "./stored-archives.ts";

/** The newest archive that proved good. */
export interface NewestGood {
  readonly archive: StoredArchive;
  readonly contentDigest: string;
  /** Newer ones that are damaged. */
  readonly passedOver: readonly string[];
}

/** Finds the newest good archive of a stack: one is read in the usual case. @param archives the newest first */
export async function newestGood(
  archives: readonly StoredArchive[],
  status: BackupStatus | undefined,
  tools: BackupTools,
  context: JobContext,
): Promise<NewestGood | undefined> {
  const passedOver: string[] = [];
  for (const archive of archives) {
    const examined = await examineStored(archive, { depth: "records", status }, tools, context);
    if (examined.state === "good") return { archive, contentDigest: examined.contentDigest, passedOver };
    if (examined.state === "damaged") passedOver.push(archive.name);
  }
  return undefined;
}
