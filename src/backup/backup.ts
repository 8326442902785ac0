import { join } from "node:path";
import { StackferryError, rewordError } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import type { BackupChanges } from "../core/diff.ts";
import { ENCRYPTED_FOR_PASSPHRASE, hasEveryRecord, type Manifest } from "../core/manifest.ts";
import type { KindName } from "../core/records/record.ts";
import { describeContent, writeEntry, type ArchiveContent, type SuspectReason } from "./archive-entry.ts";
import {
  formatStoredName,
  listStoredStacks,
  sideFileName,
  type StoredArchive,
  type ArchiveFile,
} from "./archive-names.ts";
import { countChanges, findChangesSince, type FindChanges, type NewArchive } from "./changes.ts";
import { claimTime } from "./claim-time.ts";
import { areClocksTrusted, withRepositoryClock, type PruneContext } from "./clock.ts";
import type { BackupContext } from "./backup-context.ts";
import {
  isBackup,
  judgeByEntry,
  lastGoodOf,
  newestOf,
  readHistory,
  summariseBackups,
  suspectReasonsOf,
  type ArchiveWithEntry,
  type BackupSummary,
  type JudgedArchive,
  type StackHistory,
} from "./history.ts";
import {
  emitMissingWarning,
  judgeNewArchive,
  readEarlierBackups,
  recordGoodBackup,
  type EarlierBackups,
} from "./earlier-backups.ts";
import { examineStoredArchive, verifyRecords } from "./open-stored-archive.ts";
import { pruneStack, type PruneVerdict } from "./prune.ts";
import type { RetentionPolicy } from "../core/retention-policy.ts";
import { removeLeftovers } from "./unfinished.ts";
import { countsOf } from "./suspect.ts";

export interface ExportOrder {
  readonly path: string;
  readonly stack: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

export interface ExportedBackup extends Pick<Manifest, "contentDigest" | "kinds" | "source"> {
  readonly recordsDigest?: string;
  readonly incomplete?: readonly KindName[];
}

export type Exporter = (order: ExportOrder, context: RunContext) => Promise<ExportedBackup>;

export interface BackupInput {
  readonly stack: string;
  readonly exportTo: Exporter;
  readonly encryptedFor?: string | undefined;
  /** Fingerprint of the signing key. The exporter writes the signature to `<path>.sig`. */
  readonly signedBy?: string | undefined;
  /** Stores no archive if nothing has changed since the newest archive. */
  readonly ifChanged: boolean;
  readonly policy?: RetentionPolicy | undefined;
  readonly findChanges?: FindChanges | undefined;
  readonly plainText?: boolean;
}

export interface BackupResult {
  readonly stack: string;
  readonly result: "stored" | "unchanged";
  readonly archive: string;
  readonly contentDigest: string;
  readonly bytes: number;
  readonly records: Readonly<Record<KindName, number>>;
  readonly changes?: BackupChanges;
  readonly suspect: readonly SuspectReason[];
  readonly isFirst: boolean;
  /** Kinds of which the stack hides more records than in the previous archive. */
  readonly newlyPartial: readonly KindName[];
  readonly forbidden: readonly KindName[];
  readonly pruned: readonly PruneVerdict[];
  readonly summary: BackupSummary;
}

export async function backupStack(input: BackupInput, givenContext: BackupContext): Promise<BackupResult> {
  const { stack } = input;
  givenContext.events({ type: "phase", phase: `backing up ${stack}` });
  const timed = await withRepositoryClock(givenContext);
  const history = await readHistory(stack, timed);
  const context: PruneContext = { ...timed, isClockTrusted: areClocksTrusted(history, timed) };
  await refusePlainText(input, history, context);
  const past = await readEarlierBackups(history, context);
  if (past.lossReason === undefined) await emitMissingWarning(history, context);
  if (context.isClockTrusted) await removeLeftovers(history, context);
  await using claim = await claimTime(history, context);
  await using folder = await context.createTemporaryFolder();
  const { incomplete, ...made } = await exportBackup(input, claim.at, folder.path, context);
  const changes = await findChangesSince(lastGoodOf(history.archives), made, input.findChanges, context);
  const { kinds } = made.entry;
  const partial = newlyPartial(kinds, incomplete, history);
  // If the stack hides more records, stores an archive, so that the next run does not report them again.
  const isSought = input.ifChanged && partial.length === 0;
  const same = isSought ? await unchangedArchive(made, history, context) : undefined;
  const newest =
    same === undefined
      ? await storeArchive(made, changes, { ...history, ...past }, context)
      : await confirmArchive(same, made.archive, context);
  const pruned = await finishRun(newest, input.policy, history, context).catch((error: unknown) => {
    if (same !== undefined || !(error instanceof StackferryError)) throw error;
    throw rewordError(error, `${newest.name} is stored and counts as a backup, but ${error.message}`);
  });
  const removed = pruned.flatMap(({ archive, action }) => (action === "remove" ? [archive.name] : []));
  const others = history.archives.filter(({ name }) => name !== newest.name && !removed.includes(name));
  const archives = [newest, ...others];
  return {
    stack,
    result: same === undefined ? "stored" : "unchanged",
    archive: newest.name,
    contentDigest: newest.entry.contentDigest,
    bytes: same === undefined ? newest.bytes : 0,
    records: countsOf(kinds),
    ...(changes !== undefined && { changes }),
    suspect: suspectReasonsOf(newest),
    isFirst: past.isFirst,
    newlyPartial: partial,
    // A kind fails only for lack of a right: any other failure ends the export.
    forbidden: Object.keys(kinds).filter((kind) => kinds[kind]?.status === "failed"),
    pruned,
    summary: summariseBackups(archives, context.clock.now(), lastGoodOf(archives)),
  };
}

/** Reads an unencrypted archive back, to prove that the archive can be restored. */
async function exportBackup(
  { stack, exportTo, encryptedFor, signedBy }: BackupInput,
  at: number,
  folder: string,
  context: BackupContext,
): Promise<NewArchive & Required<Pick<ExportedBackup, "incomplete">>> {
  const encrypted = encryptedFor !== undefined;
  const path = join(folder, encrypted ? "archive.zip.age" : "archive.zip");
  const { incomplete = [], recordsDigest, ...content } = await exportTo({ path, stack, createdAt: at }, context);
  // This machine can lack the key of an encrypted archive.
  if (!encrypted) await verifyExported(path, context);
  const file = await context.digestFile(path);
  const name = formatStoredName(stack, at, encrypted);
  const archive = { name, stack, at, encrypted, bytes: file.bytes };
  const entry = { archive: name, ...file, ...describeContent(content), recordsDigest, encryptedFor, signedBy };
  return { archive, path, entry, incomplete };
}

async function verifyExported(path: string, context: BackupContext): Promise<void> {
  await using reader = await context.openArchive(path);
  const [problem] = await verifyRecords(reader, context);
  if (problem === undefined) return;
  throw new StackferryError("protocol", `${problem.path} could not be read back: ${problem.message}`, {
    hint: "no backup was stored; `stackferry export` writes the same archive for inspection",
  });
}

async function finishRun(
  { name, stack, flaw }: JudgedArchive,
  policy: RetentionPolicy | undefined,
  history: StackHistory,
  context: PruneContext,
): Promise<PruneVerdict[]> {
  if (flaw === undefined) await recordGoodBackup(history, context);
  else {
    const message = `${name} is suspect: ${flaw.message}. Older backups are kept until it is accepted or a good one follows.`;
    context.events({ type: "warning", warning: { code: "suspect-backup", message } });
  }
  return policy === undefined ? [] : pruneStack({ stack, policy }, context);
}

/** A stack can hide the same records every night, so a run reports only an increase. */
function newlyPartial(kinds: ArchiveContent, incomplete: readonly KindName[], { archives }: StackHistory): KindName[] {
  const before = newestOf(archives)?.entry?.kinds ?? {};
  const unlistedCount = (content: ArchiveContent, kind: KindName): number => content[kind]?.unlisted ?? -1;
  const partial = incomplete.filter((kind) => kinds[kind]?.status === "partial");
  return partial.filter(
    (kind) => before[kind]?.status !== "partial" || unlistedCount(kinds, kind) > unlistedCount(before, kind),
  );
}

/** Returns undefined if the new export must be stored. */
async function unchangedArchive(
  { archive: { encrypted }, entry: { recordsDigest, encryptedFor, signedBy, address, kinds } }: NewArchive,
  { archives }: StackHistory,
  context: BackupContext,
): Promise<ArchiveWithEntry | undefined> {
  const newest = newestOf(archives);
  if (newest?.entry === undefined || newest.encrypted !== encrypted) return undefined;
  const { entry } = newest;
  // A stack at another address can be a copy, so its backup is stored.
  if (entry.encryptedFor !== encryptedFor || entry.address !== address) return undefined;
  if (signedBy !== undefined && !(newest.isSigned && entry.signedBy === signedBy)) return undefined;
  // `newest` can be suspect: otherwise, every run would store the same small content again.
  const found = await examineStoredArchive(newest, "records", context);
  if (found.state !== "good") return undefined;
  const { kinds: before } = found.entry;
  // Stores a backup that completes a kind, even if the records are equal.
  if (Object.keys(kinds).some((kind) => hasEveryRecord(kinds[kind]) && !hasEveryRecord(before[kind]))) return undefined;
  // `recordsDigest` ignores server-owned members, which change without an edit, for instance when an alert fires.
  const isSame = recordsDigest !== undefined && found.entry.recordsDigest === recordsDigest;
  // The entry does not tell passphrases apart, so this run's passphrase must open the archive.
  const isForOthers = encryptedFor === ENCRYPTED_FOR_PASSPHRASE && !found.isOpened;
  return isSame && !isForOthers ? { ...newest, entry } : undefined;
}

async function confirmArchive(
  archive: ArchiveWithEntry,
  made: ArchiveFile,
  { repository }: BackupContext,
): Promise<ArchiveWithEntry> {
  await repository.writeText(sideFileName(made, "unchanged"), "");
  return { ...archive, confirmations: [made.at, ...archive.confirmations] };
}

/** Writes the entry last, so that the archive of a killed run does not count. */
async function storeArchive(
  { archive, path, entry: about }: NewArchive,
  changes: BackupChanges | undefined,
  past: StackHistory & EarlierBackups,
  context: BackupContext,
): Promise<ArchiveWithEntry> {
  const { repository, signal } = context;
  const { name, at } = archive;
  const isSigned = about.signedBy !== undefined;
  const counts = changes?.records && countChanges(changes.records);
  const entry = await judgeNewArchive({ ...about, changes: counts }, archive, past, context);
  // Stores the signature first, so that the archive is not visible without its signature.
  if (isSigned) await repository.put(`${path}.sig`, `${name}.sig`, signal);
  await repository.put(path, name, signal);
  try {
    await writeEntry(archive, entry, repository);
  } catch (error) {
    if (!(error instanceof StackferryError)) throw error;
    const next = `${error.hint ?? "mend that"}; then \`stackferry check ${repository.address}\` reads and completes it`;
    throw rewordError(error, `${name} is stored but does not count yet, because ${error.message}`, next);
  }
  const state = { modifiedAt: at, isComplete: true, isSigned, isAccepted: false, confirmations: [] };
  return judgeByEntry({ ...archive, ...state }, entry);
}

/**
 * A command that forgets the key must not store plain text. A stack's first backup follows the repository's newest archive.
 * @throws StackferryError `usage`
 */
async function refusePlainText(
  input: BackupInput,
  { archives }: StackHistory,
  { repository, signal }: BackupContext,
): Promise<void> {
  if (input.encryptedFor !== undefined || input.plainText === true) return;
  const ours: readonly StoredArchive[] = archives.filter(isBackup);
  const all = async () => (await listStoredStacks(repository, undefined, signal)).flatMap((each) => each.archives);
  const [newest] = (ours.length > 0 ? ours : await all()).toSorted((left, right) => right.at - left.at);
  if (newest?.encrypted !== true) return;
  throw new StackferryError(
    "usage",
    `${newest.name} in ${repository.address} is encrypted, and this backup of ${input.stack} would be plain text`,
    {
      hint: "give --recipient or --passphrase-file, or configure recipients for the repository; --plain-text stores this backup unencrypted",
    },
  );
}
