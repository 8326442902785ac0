import { join } from "node:path";
import { StackferryError } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import type { ArchiveReader, FileDigest, RecordReader } from "../core/ports.ts";
import type { StackRecord } from "../core/records/record.ts";
import { eachRecord } from "../import/read/archive-records.ts";
import { parseRecord } from "../kinds/descriptor-parts.ts";
import { findKind } from "../kinds/registry.ts";
import { digestRecord, recordsDigest, type RecordDigest } from "../references/record-content.ts";
import { describeContent, type ArchiveEntry } from "./archive-entry.ts";
import { identityProblem, isFileListed, type ArchiveFile } from "./archive-names.ts";
import type { BackupContext } from "./backup-context.ts";

/** `@latest` skips a flawed archive. `refused-backup` means that the name contradicts the content or the clock. */
export interface BackupFlaw {
  readonly code: "damaged-backup" | "refused-backup" | "suspect-backup" | "unfinished-backup";
  readonly message: string;
}

/** `sealed`: no given key opens the encrypted archive. `gone`: another run has removed the archive. */
type Unreadable =
  | { readonly state: "sealed"; readonly file: FileDigest }
  | { readonly state: "flawed"; readonly flaw: BackupFlaw }
  | { readonly state: "gone" };

type OpenedArchive = { readonly state: "open"; readonly reader: ArchiveReader; readonly file: FileDigest } | Unreadable;

/** Perhaps only the manifest or the checksum was checked. */
interface GoodArchive {
  readonly state: "good";
  /** Built from the archive; the stored entry if no key opens the archive. */
  readonly entry: ArchiveEntry;
  readonly isOpened: boolean;
}

export type ExaminedArchive = GoodArchive | Unreadable;

interface KnownArchive extends ArchiveFile {
  readonly entry?: ArchiveEntry;
  readonly flaw?: BackupFlaw;
}

/** If no key opens the archive, compares only the checksum of the file. Throws errors of the repository. */
export async function examineStoredArchive(
  archive: KnownArchive,
  depth: "manifest" | "records",
  context: BackupContext,
): Promise<ExaminedArchive> {
  if (archive.flaw?.code === "damaged-backup") return { state: "flawed", flaw: archive.flaw };
  const opened = await openStoredArchive(archive, context);
  if (opened.state === "sealed") return compareChecksum(opened, archive.entry, context);
  if (opened.state !== "open") return opened;
  await using reader = opened.reader;
  const entry = { archive: archive.name, ...opened.file, ...describeContent(reader.manifest) };
  const read = { state: "good", isOpened: true, entry } as const;
  if (depth === "manifest") return read;
  try {
    const digests: RecordDigest[] = [];
    const [problem] = await verifyRecords(reader, context, (record) => void digests.push(digestRecord(record)));
    if (problem !== undefined) return damaged(`${problem.path}: ${problem.message}`);
    return { ...read, entry: { ...entry, recordsDigest: recordsDigest(digests) } };
  } catch (error) {
    return unreadable(error, { archive, path: reader.summary.path, file: opened.file });
  }
}

/** If signatures are checked, a right checksum is not enough. */
function compareChecksum(
  sealed: Extract<Unreadable, { state: "sealed" }>,
  entry: ArchiveEntry | undefined,
  { repository, checksSignature }: BackupContext,
): ExaminedArchive {
  if (entry === undefined) return sealed;
  if (sealed.file.sha256 !== entry.sha256) {
    return damaged(`its content is not what was stored in ${repository.address}`);
  }
  return checksSignature ? sealed : { state: "good", isOpened: false, entry };
}

/** Removes the temporary copy at once, because an open archive stays readable. */
export async function openStoredArchive(archive: ArchiveFile, context: BackupContext): Promise<OpenedArchive> {
  const { repository, checksSignature } = context;
  const { name, encrypted } = archive;
  await using folder = await context.createTemporaryFolder();
  const path = join(folder.path, encrypted ? "archive.zip.age" : "archive.zip");
  if (!(await fetchIfThere(name, path, context))) {
    const isLost = await isFileListed(name, repository, context.signal);
    return isLost ? damaged("the repository lists it, but does not have it") : { state: "gone" };
  }
  if (checksSignature) await fetchIfThere(`${name}.sig`, `${path}.sig`, context);
  const file = await context.digestFile(path);
  try {
    const reader = await context.openArchive(path);
    const problem = identityProblem(archive, reader.manifest);
    if (problem === undefined) return { state: "open", reader, file };
    await reader[Symbol.asyncDispose]();
    return { state: "flawed", flaw: { code: "refused-backup", message: problem } };
  } catch (error) {
    return unreadable(error, { archive, path, file });
  }
}

async function fetchIfThere(name: string, path: string, { repository, signal }: BackupContext): Promise<boolean> {
  try {
    await repository.fetch(name, path, signal);
    return true;
  } catch (error) {
    if (error instanceof StackferryError && error.code === "not-found") return false;
    throw error;
  }
}

interface Copy {
  readonly archive: ArchiveFile;
  readonly path: string;
  readonly file: FileDigest;
}

/** Throws errors that are not the archive's fault, such as a full disk. */
function unreadable(error: unknown, { archive: { name, encrypted }, path, file }: Copy): Unreadable {
  if (!(error instanceof StackferryError)) throw error;
  if (encrypted && isKeyError(error)) return { state: "sealed", file };
  if (error.code !== "archive-damaged" && error.code !== "archive-unknown") throw error;
  return damaged(error.message.replaceAll(path, name));
}

/** Without a key, `openArchive` throws `usage` or `config`. */
export function isKeyError(error: unknown): boolean {
  return error instanceof StackferryError && ["usage", "config", "wrong-key"].includes(error.code);
}

function damaged(message: string): Unreadable {
  return { state: "flawed", flaw: { code: "damaged-backup", message } };
}

export interface VerifyProblem {
  readonly path: string;
  readonly code: "unreadable-record" | "unknown-form";
  readonly message: string;
}

/**
 * The reader checks sizes and checksums.
 * @throws StackferryError `archive-damaged`, whose `faults` are the paths of the damaged records
 */
export async function verifyRecords(
  reader: RecordReader,
  { signal }: RunContext,
  onRecord: (record: StackRecord) => void = () => {},
): Promise<VerifyProblem[]> {
  const problems: VerifyProblem[] = [];
  for await (const [{ path }, record] of eachRecord(reader, reader.manifest.entries, signal)) {
    onRecord(record);
    const kind = findKind(record.kind);
    if (kind === undefined) {
      problems.push({ path, code: "unknown-form", message: `the kind "${record.kind}" is not known` });
      continue;
    }
    const parsed = parseRecord(kind, record.body);
    if (!parsed.ok) problems.push({ path, code: "unreadable-record", message: parsed.problem });
  }
  return problems;
}
