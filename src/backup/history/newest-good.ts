import type { RunContext } from "../../core/events.ts";
import type { BackupDependencies } from "../dependencies.ts";
import type { ArchiveDigests } from "../open-stored-archive.ts";
import { openStoredArchive } from "../open-stored-archive.ts";
import type { JudgedArchive } from "./read-history.ts";
import { suspectReasonsOf } from "./read-history.ts";

/** A newer archive that was passed over, and the reason. */
export interface PassedOver {
  readonly archive: string;
  readonly code: "damaged-backup" | "refused-backup" | "suspect-backup";
  readonly problem: string;
}

/** The newest archive that was verified as good. */
export interface NewestGood extends ArchiveDigests {
  readonly archive: JudgedArchive;
}

/** Finds the newest good archive of a stack. Usually this reads one archive. @param archives the newest first */
export async function newestGood(
  archives: readonly JudgedArchive[],
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<{ readonly good?: NewestGood; readonly passedOver: readonly PassedOver[] }> {
  const passedOver: PassedOver[] = [];
  for (const archive of archives) {
    const { name, entry, refused } = archive;
    const reasons = suspectReasonsOf(archive);
    if (refused !== undefined) passedOver.push({ archive: name, code: "refused-backup", problem: refused });
    if (reasons.length > 0) {
      const problem = reasons.map(({ message }) => message).join("; ");
      passedOver.push({ archive: name, code: "suspect-backup", problem });
    }
    if (refused !== undefined || reasons.length > 0) continue;
    const examined = await openStoredArchive(archive, { depth: "records", entry }, dependencies, context);
    if (examined.state === "good") {
      const { contentDigest, recordsDigest } = examined;
      const digests = { contentDigest, ...(recordsDigest !== undefined && { recordsDigest }) };
      return { good: { archive, ...digests }, passedOver };
    }
    if (examined.state === "damaged" || examined.state === "refused") {
      const code = examined.state === "damaged" ? "damaged-backup" : "refused-backup";
      passedOver.push({ archive: name, code, problem: examined.problem });
    }
  }
  return { passedOver };
}
