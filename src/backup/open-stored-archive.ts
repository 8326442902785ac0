import { getOrMake } from "../core/collections.ts";
import { StackferryError } from "../core/errors.ts";
import { ignoreEvents, type RunContext } from "../core/events.ts";
import type { ArchiveReader, ByteSource, FileDigest } from "../core/ports.ts";
import type { BackupDependencies } from "./dependencies.ts";
import { identityProblem, isFileListed, type ArchiveFile, type StoredArchive } from "./archive-names.ts";
import type { ArchiveEntry } from "./archive-entry.ts";
import { digestRecord, recordsDigest, type RecordDigest } from "../references/record-content.ts";
import { verifyRecords } from "./verify-archive.ts";
import type { Manifest } from "../core/manifest.ts";

/** The digests that tell whether two archives have the same content. */
export interface ArchiveDigests {
  readonly contentDigest: string;
  /** Digest of the records without server-owned members; absent if the records could not be read. */
  readonly recordsDigest?: string;
}

/**
 * The state of a stored archive:
 * - good: every record is as it was written (`records`), or the manifest can be read (`manifest`)
 * - sealed: it is encrypted, and no given key opens it
 * - damaged: its bytes are not those of an archive, or not those that were stored, or it lacks the required signature
 * - refused: its name contradicts its content
 * - gone: another run removed it
 */
export type ExaminedArchive =
  | ({
      readonly state: "good";
      readonly file: FileDigest;
      /** Absent if no key opens the archive, and only its checksum was compared. */
      readonly manifest?: Manifest;
    } & ArchiveDigests)
  | Unreadable;

type Unreadable =
  | { readonly state: "sealed" }
  | { readonly state: "damaged" | "refused"; readonly problem: string }
  | { readonly state: "gone" };

export interface ExamineOptions {
  readonly depth: "manifest" | "records";
  /** The stored entry of the archive. Its checksum is compared if the archive is encrypted and no key opens it. */
  readonly entry?: ArchiveEntry | undefined;
}

const LOST_PROBLEM = "the repository lists it, but does not have it";

/** Fetches a stored archive and examines it. Errors of the repository are thrown. */
export async function examineStoredArchive(
  archive: StoredArchive,
  { depth, entry }: ExamineOptions,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<ExaminedArchive> {
  const { repository, files, checksSignature } = dependencies;
  await using scratch = await files.createScratchFolder();
  const path = scratch.file(archive.encrypted ? ".zip.age" : ".zip");
  const failure = await fetchCopy(archive, path, dependencies, context);
  if (failure !== undefined) return failure;
  const file = await files.digest(path);
  const examined = await openAndRead({ path, file, archive, depth }, dependencies, context);
  if (examined.state !== "sealed" || entry === undefined) return examined;
  const { contentDigest, recordsDigest } = entry;
  const digests = { contentDigest, ...(recordsDigest !== undefined && { recordsDigest }) };
  // Without its key, only the checksum in the entry tells whether the archive is whole. It does not replace a signature.
  if (file.sha256 !== entry.sha256) {
    return { state: "damaged", problem: `its content is not what was stored in ${repository.address}` };
  }
  return checksSignature ? examined : { state: "good", ...digests, file };
}

/** Returns a function that examines the records of archives, and reads each archive at most once. */
export function createExaminer(
  dependencies: BackupDependencies,
  context: RunContext,
): (archive: StoredArchive & { readonly entry?: ArchiveEntry; readonly damaged?: string }) => Promise<ExaminedArchive> {
  const examined = new Map<string, Promise<ExaminedArchive>>();
  return (archive) => {
    context.signal?.throwIfAborted();
    if (archive.damaged !== undefined) return Promise.resolve({ state: "damaged", problem: archive.damaged });
    const options = { depth: "records", entry: archive.entry } as const;
    return getOrMake(examined, archive.name, () => examineStoredArchive(archive, options, dependencies, context));
  };
}

/**
 * Copies an archive to `path`, with its signature if signatures are checked. Returns undefined on success; otherwise the state of
 * an archive that is not there.
 */
async function fetchCopy(
  { name }: ArchiveFile,
  path: string,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<Unreadable | undefined> {
  if (!(await fetchIfThere(name, path, dependencies, context))) {
    const isLost = await isFileListed(name, dependencies.repository, context.signal);
    return isLost ? { state: "damaged", problem: LOST_PROBLEM } : { state: "gone" };
  }
  if (dependencies.checksSignature) await fetchIfThere(`${name}.sig`, `${path}.sig`, dependencies, context);
  return undefined;
}

async function fetchIfThere(
  name: string,
  path: string,
  { repository }: BackupDependencies,
  { signal }: RunContext,
): Promise<boolean> {
  try {
    await repository.fetch(name, path, signal);
    return true;
  } catch (error) {
    if (error instanceof StackferryError && error.code === "not-found") return false;
    throw error;
  }
}

interface Fetched {
  readonly path: string;
  readonly file: FileDigest;
  readonly archive: StoredArchive;
  readonly depth: ExamineOptions["depth"];
}

async function openAndRead(
  { path, file, archive, depth }: Fetched,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<ExaminedArchive> {
  try {
    await using reader = await dependencies.openArchive(path);
    const { manifest } = reader;
    const refused = identityProblem(archive, manifest);
    if (refused !== undefined) return { state: "refused", problem: refused };
    const { contentDigest } = manifest;
    if (depth === "manifest") return { state: "good", contentDigest, file, manifest };
    // `verifyRecords` reports phases that belong to the command `verify`. Here it runs once for each archive, so its events are
    // dropped.
    const digests: RecordDigest[] = [];
    const { problems } = await verifyRecords(reader, { ...context, events: ignoreEvents }, (record) => {
      digests.push(digestRecord(record));
    });
    const [problem] = problems;
    if (problem !== undefined) return { state: "damaged", problem: `${problem.path}: ${problem.message}` };
    return { state: "good", contentDigest, recordsDigest: recordsDigest(digests), file, manifest };
  } catch (error) {
    return unreadable(error, archive, path);
  }
}

/** Returns the state of an archive that could not be opened or read. Errors of the repository are thrown again. */
function unreadable(error: unknown, archive: ArchiveFile, path: string): Unreadable {
  if (!(error instanceof StackferryError)) throw error;
  if (archive.encrypted && ["usage", "config", "wrong-key"].includes(error.code)) return { state: "sealed" };
  if (error.code !== "archive-damaged" && error.code !== "archive-unknown") throw error;
  return { state: "damaged", problem: error.message.replaceAll(path, archive.name) };
}

/** A stored archive that is open, or the reason why it cannot be read. */
export type OpenedStoredArchive = { readonly state: "open"; readonly reader: ArchiveReader } | Unreadable;

/**
 * Opens a stored archive to read single records of it. A plain zip is read in the repository. An encrypted archive, or an archive
 * whose signature is checked, is read from a private copy. Only the records that are read are checked.
 */
export async function openStoredArchive(
  archive: ArchiveFile,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<OpenedStoredArchive> {
  const { repository, checksSignature } = dependencies;
  const { name, bytes, encrypted } = archive;
  if (encrypted || checksSignature) return openCopy(archive, dependencies, context);
  let source: ByteSource;
  try {
    source = await repository.open(name, bytes, context.signal);
  } catch (error) {
    if (error instanceof StackferryError && error.code === "not-found") return { state: "gone" };
    throw error;
  }
  try {
    return checkIdentity(archive, await dependencies.openArchive(name, source));
  } catch (error) {
    await source.close();
    return unreadable(error, archive, name);
  }
}

async function openCopy(
  archive: ArchiveFile,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<OpenedStoredArchive> {
  const scratch = await dependencies.files.createScratchFolder();
  const path = scratch.file(archive.encrypted ? ".zip.age" : ".zip");
  try {
    const failure = await fetchCopy(archive, path, dependencies, context);
    if (failure !== undefined) return failure;
    return await checkIdentity(archive, await dependencies.openArchive(path));
  } catch (error) {
    return unreadable(error, archive, path);
  } finally {
    // The copy is removed at once. An archive that is open stays readable although its file no longer has a name.
    await scratch[Symbol.asyncDispose]();
  }
}

async function checkIdentity(archive: ArchiveFile, reader: ArchiveReader): Promise<OpenedStoredArchive> {
  const problem = identityProblem(archive, reader.manifest);
  if (problem === undefined) return { state: "open", reader };
  await reader[Symbol.asyncDispose]();
  return { state: "refused", problem };
}
