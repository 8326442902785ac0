import { StackferryError } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import type { Manifest } from "../core/manifest.ts";
import type { BackupDependencies } from "./dependencies.ts";
import type { StoredArchive } from "./names.ts";
import type { BackupStatus } from "./status.ts";
import { verifyArchive } from "./verify-archive.ts";

/**
 * The state of a stored archive:
 * - good: every record is as it was written (`records`), or the manifest can be read (`manifest`)
 * - encrypted: it is encrypted, and no key was given that opens it
 * - damaged: its bytes are not those of an archive
 * - gone: another run removed it
 */
export type Examined =
  | { readonly state: "good"; readonly contentDigest: string; readonly manifest?: Manifest }
  | { readonly state: "encrypted" }
  | { readonly state: "damaged"; readonly problem: string }
  | { readonly state: "gone" };

/** What to examine. */
export interface ExamineOptions {
  readonly depth: "manifest" | "records";
  /** Has the checksum of an encrypted archive that cannot be opened. */
  readonly status?: BackupStatus | undefined;
}

/** The first line of every age file. */
const AGE_HEAD = "age-encryption.org/v1\n";

/** Fetches a stored archive and examines it. Errors of the repository are thrown. */
export async function examineStored(
  archive: StoredArchive,
  { depth, status }: ExamineOptions,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<Examined> {
  await using scratch = await dependencies.files.scratch();
  const path = scratch.file(archive.encrypted ? ".zip.age" : ".zip");
  try {
    await dependencies.repository.fetch(archive.name, path, context.signal);
  } catch (error) {
    if (error instanceof StackferryError && error.code === "not-found") return { state: "gone" };
    throw error;
  }
  if (archive.encrypted && (await dependencies.files.head(path, AGE_HEAD.length)) !== AGE_HEAD) {
    return { state: "damaged", problem: "it is not an encrypted archive" };
  }
  const examined = await openAndRead(path, archive, depth, dependencies, context);
  // Without the right key an encrypted archive looks damaged. Its checksum decides.
  if (examined.state === "good" || !archive.encrypted || status?.archive !== archive.name) return examined;
  const same = (await dependencies.files.digest(path)).sha256 === status.sha256;
  if (same) return { state: "good", contentDigest: status.contentDigest };
  return { state: "damaged", problem: "its bytes are not those that were stored" };
}

async function openAndRead(
  path: string,
  archive: StoredArchive,
  depth: ExamineOptions["depth"],
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<Examined> {
  try {
    await using reader = await dependencies.openArchive(path);
    const { manifest } = reader;
    const { contentDigest } = manifest;
    if (depth === "manifest") return { state: "good", contentDigest, manifest };
    // `verifyArchive` reports the phases of a command of its own; here it runs once for each archive.
    const quiet = context.signal === undefined ? {} : { signal: context.signal };
    const [problem] = (await verifyArchive(reader, { events: () => {}, ...quiet })).problems;
    if (problem !== undefined) return { state: "damaged", problem: `${problem.path}: ${problem.message}` };
    return { state: "good", contentDigest, manifest };
  } catch (error) {
    if (!(error instanceof StackferryError)) throw error;
    if (archive.encrypted && (error.code === "usage" || error.code === "config")) return { state: "encrypted" };
    if (error.code !== "archive-damaged" && error.code !== "archive-unknown") throw error;
    return { state: "damaged", problem: error.message.replaceAll(path, archive.name) };
  }
}

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
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<NewestGood | undefined> {
  const passedOver: string[] = [];
  for (const archive of archives) {
    const examined = await examineStored(archive, { depth: "records", status }, dependencies, context);
    if (examined.state === "good") return { archive, contentDigest: examined.contentDigest, passedOver };
    if (examined.state === "damaged") passedOver.push(archive.name);
  }
  return undefined;
}
