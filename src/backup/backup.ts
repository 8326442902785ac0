import { StackferryError, rewordError } from "../core/errors.ts";
import { ignoreEvents, type RunContext } from "../core/events.ts";
import { ENCRYPTED_FOR_PASSPHRASE } from "../core/manifest.ts";
import type { KindName } from "../core/records/record.ts";
import { markAccepted } from "./accept-suspect.ts";
import { listStoredArchives, formatStoredName, type StoredArchive } from "./archive-names.ts";
import { withRepositoryClock, type BackupDependencies } from "./dependencies.ts";
import { findNewestGood } from "./select-backup.ts";
import {
  compareWithBaseline,
  readHistory,
  summariseFromStatus,
  type JudgedArchive,
  type StackHistory,
  type BackupSummary,
} from "./history/read-history.ts";
import type { Origin } from "./history/origin.ts";
import { writeStatus, type ArchiveEntry } from "./history/status.ts";
import { shrinkageText, type ArchiveContent, type SuspectReason } from "./history/suspect.ts";
import { recordGoodBackup, readEarlierBackups, emitMissingWarning, type EarlierBackups } from "./known-backups.ts";
import { takeStackLock, type StackLock } from "./stack-lock.ts";
import { pruneStack, type PruneVerdict } from "./prune.ts";
import type { RetentionPolicy } from "./retention.ts";
import { verifyRecords } from "./verify-archive.ts";

export interface ExportOrder {
  readonly path: string;
  /** The stack's name, which is stored in the archive and has to agree with the archive's name. */
  readonly stack: string;
  /** Creation time of the archive, Unix milliseconds. */
  readonly createdAt: number;
}

export interface ExportedBackup {
  readonly contentDigest: string;
  /** Digest of the records without server-owned members. */
  readonly recordsDigest?: string;
  readonly kinds: ArchiveContent;
  readonly origin: Origin;
  /** Kinds with records that the stack counts but does not list. */
  readonly incomplete?: readonly KindName[];
}

export type Exporter = (order: ExportOrder, context: RunContext) => Promise<ExportedBackup>;

export interface BackupInput {
  /** The stack's name, which is also the name of its folder in the repository. */
  readonly stack: string;
  readonly exportTo: Exporter;
  /** If the exporter encrypts the archive: the readers of the archive, in the form that `readersDigest` returns. */
  readonly encryptedFor?: string | undefined;
  /** If the exporter also writes a signature of the archive, at `<path>.sig`: the fingerprint of the signing key. */
  readonly signedBy?: string | undefined;
  /** If true, nothing is stored when the stack has the same content as its newest archive, for the same readers and signer. */
  readonly ifChanged: boolean;
  /** If true, the backup is accepted even if it holds so little that it is suspect. */
  readonly acceptSuspect: boolean;
  readonly policy?: RetentionPolicy | undefined;
  /** True if the user allows an unencrypted archive although earlier archives are encrypted. */
  readonly plainText?: boolean;
}

export interface BackupResult {
  readonly stack: string;
  readonly result: "stored" | "unchanged";
  /** Name of the newest archive after the run. */
  readonly archive: string;
  readonly contentDigest: string;
  /** Bytes stored by this run; 0 if nothing has changed. */
  readonly bytes: number;
  /** Reasons why the newest archive is suspect; empty if it is not. */
  readonly suspect: readonly SuspectReason[];
  /** True if no earlier backup of the stack is known. */
  readonly isFirst: boolean;
  /** A text that names the kinds with fewer records in the newest archive than in the good one before it: `alerts 14 → 10`. */
  readonly shrinkage: string;
  /** Kinds with more hidden records now than in the previous archive. The stack counts hidden records but does not list them. */
  readonly newlyPartial: readonly KindName[];
  /** Kinds that this key may not read. */
  readonly forbidden: readonly KindName[];
  readonly pruned: readonly PruneVerdict[];
  readonly summary: BackupSummary;
}

/** Backs up one stack: lock, export, verify, compare, store, prune. Older archives stay until the new one is stored. */
export async function backupStack(
  input: BackupInput,
  givenDependencies: BackupDependencies,
  context: RunContext,
): Promise<BackupResult> {
  const { stack } = input;
  await using lock = await takeStackLock(stack, givenDependencies, context);
  const { dependencies, isAhead } = await withRepositoryClock(givenDependencies, context);
  const { repository, files, clock } = dependencies;
  context.events({ type: "phase", phase: `backing up ${stack}` });
  await repository.sweep(`${stack}/`);
  const history = await readHistory(stack, dependencies, context);
  await refusePlainText(input, history, dependencies, context);
  const past = await readEarlierBackups(stack, history, dependencies);
  if (past.lossReason === undefined) {
    emitAheadWarning(history, context);
    await emitMissingWarning(history, dependencies, context);
  }
  const createdAt = nextTime(input, history, clock.now());
  const run: BackupRun = { input, lock, createdAt, history, past };
  await using scratch = await files.createScratchFolder();
  const path = scratch.file(isEncrypted(input) ? ".zip.age" : ".zip");
  const exported = await input.exportTo({ path, stack, createdAt }, context);
  await verifyExported(path, input, dependencies, context);
  const same = input.ifChanged ? await unchangedEntry(exported, input, history, dependencies, context) : undefined;
  await lock.assertHeld();
  const made = same ?? (await storeArchive(run, path, exported, dependencies, context));
  const entry = input.acceptSuspect ? markAccepted(made) : made;
  emitSuspectWarning(entry, context);
  const isStored = same === undefined;
  const pruned = await recordAndPrune(run, entry, { isStored, isAhead }, dependencies, context).catch(
    (error: unknown) => {
      throw isStored ? failedAfterStoring(entry.archive, error) : error;
    },
  );
  return {
    stack,
    result: isStored ? "stored" : "unchanged",
    archive: entry.archive,
    contentDigest: entry.contentDigest,
    bytes: isStored ? entry.bytes : 0,
    suspect: entry.suspect ?? [],
    isFirst: past.isFirst,
    shrinkage: shrinkageText(entry.shrunkFrom ?? {}, entry.kinds),
    newlyPartial: newlyPartial(exported, history),
    forbidden: forbiddenKinds(exported),
    pruned,
    summary: stateAfter(run, entry, clock.now()),
  };
}

/** The facts about a running backup that are known before its archive is stored. */
interface BackupRun {
  readonly input: BackupInput;
  readonly lock: StackLock;
  readonly createdAt: number;
  readonly history: StackHistory;
  readonly past: EarlierBackups;
}

function isEncrypted({ encryptedFor }: BackupInput): boolean {
  return encryptedFor !== undefined;
}

/** Writes the newest archive's entry into the status, and removes the archives that the policy gives no reason to keep. */
async function recordAndPrune(
  { input: { stack, policy }, lock, createdAt, history }: BackupRun,
  entry: ArchiveEntry,
  { isStored, isAhead }: { readonly isStored: boolean; readonly isAhead: boolean },
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<PruneVerdict[]> {
  const isSuspect = entry.suspect !== undefined && entry.suspect.length > 0;
  await lock.assertHeld();
  await writeStatus(stack, entry, history.archives, dependencies.repository);
  if (!isSuspect) await recordGoodBackup(stack, createdAt, entry, dependencies);
  if (policy === undefined) return [];
  const verifiedName = isSuspect ? undefined : entry.archive;
  return pruneStack({ stack, policy, lock, verifiedName, hasStored: isStored, isAhead }, dependencies, context);
}

/**
 * Summarises the stack's backups after this run.
 * @param entry the entry of the newest archive, which this run has stored or found unchanged
 */
function stateAfter({ input, createdAt, history }: BackupRun, entry: ArchiveEntry, now: number): BackupSummary {
  const { stack } = input;
  const { archive: name, bytes } = entry;
  const newest: JudgedArchive = { stack, name, at: createdAt, encrypted: isEncrypted(input), bytes, entry };
  const others = history.archives.filter(({ name }) => name !== entry.archive);
  return summariseFromStatus([newest, ...others], now);
}

/**
 * Returns the kinds with more hidden records than when the previous archive was made: the stack counts hidden records, but does not
 * list them. A stack hides the same records every night, and a backup cannot change that. So the run fails (exit 3) only when the
 * hidden records are new or have increased; otherwise it warns.
 */
function newlyPartial({ kinds, incomplete = [] }: ExportedBackup, { archives }: StackHistory): KindName[] {
  const before =
    archives.find(({ entry, refused }) => refused === undefined && entry !== undefined)?.entry?.kinds ?? {};
  const unlistedCount = (content: ArchiveContent, kind: KindName): number => content[kind]?.unlisted ?? -1;
  const partial = incomplete.filter((kind) => kinds[kind]?.status === "partial");
  return partial.filter(
    (kind) => before[kind]?.status !== "partial" || unlistedCount(kinds, kind) > unlistedCount(before, kind),
  );
}

/** Returns the kinds that this key may not read. A kind that could not be read for another reason ends the export. */
function forbiddenKinds({ kinds }: ExportedBackup): KindName[] {
  return Object.keys(kinds).filter((kind) => kinds[kind]?.status === "failed");
}

/** Returns a creation time that no other archive has. It is later than the newest archive's, even if the clock was set back. */
function nextTime(input: BackupInput, { archives }: StackHistory, now: number): number {
  const ours = archives.find(({ refused }) => refused === undefined);
  const taken = new Set(archives.map(({ name }) => name));
  let at = Math.max(Math.floor(now / 1000) * 1000, (ours?.at ?? 0) + 1000);
  while (taken.has(formatStoredName(input.stack, at, isEncrypted(input)))) at += 1000;
  return at;
}

/**
 * Reads the archive before it is stored, to prove that it can be restored. An encrypted archive is not read, because this machine
 * may lack the key.
 */
async function verifyExported(path: string, input: BackupInput, dependencies: BackupDependencies, context: RunContext) {
  if (isEncrypted(input)) return;
  await using reader = await dependencies.openArchive(path);
  const [problem] = (await verifyRecords(reader, { ...context, events: ignoreEvents })).problems;
  if (problem === undefined) return;
  throw new StackferryError("protocol", `${problem.path} could not be read back: ${problem.message}`, {
    hint: "no backup was stored; `stackferry export` writes the same archive for inspection",
  });
}

/**
 * Returns the newest archive's entry with a new `checkedAt` if that archive can stand for the new export: it is whole, and has the
 * same content, the same readers and, if this run signs, the same signer. Otherwise returns undefined.
 */
async function unchangedEntry(
  { contentDigest, recordsDigest, kinds, origin }: ExportedBackup,
  input: BackupInput,
  { archives }: StackHistory,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<ArchiveEntry | undefined> {
  const newest = archives.find(({ refused }) => refused === undefined);
  if (newest?.entry === undefined || newest.encrypted !== isEncrypted(input)) return undefined;
  const { encryptedFor, signedBy } = input;
  if (newest.entry.encryptedFor !== encryptedFor) return undefined;
  if (signedBy !== undefined && (await storedSigner(newest, dependencies)) !== signedBy) return undefined;
  // A suspect archive is compared as well, without its suspect mark: otherwise every run would store the same small content again.
  const { suspect: _suspect, ...entry } = newest.entry;
  const { good } = await findNewestGood([{ ...newest, entry }], dependencies, context);
  // Members that the server owns are ignored, because they change without an edit, for instance when an alert fires.
  const isSame =
    good?.recordsDigest === undefined ? good?.contentDigest === contentDigest : good.recordsDigest === recordsDigest;
  // The status does not record which passphrase was used. Only an archive that this run's passphrase opens counts as unchanged.
  const isForOthers = encryptedFor === ENCRYPTED_FOR_PASSPHRASE && good?.isOpened !== true;
  if (!isSame || isForOthers) return undefined;
  return { ...newest.entry, recordsDigest, kinds, origin, checkedAt: new Date(dependencies.clock.now()).toISOString() };
}

/** Returns the fingerprint of the key that the signature of a stored archive names; undefined if there is no signature. */
async function storedSigner({ name }: StoredArchive, { repository, signerOf }: BackupDependencies) {
  const stored = await repository.readText(`${name}.sig`);
  return stored && signerOf(stored.text);
}

async function storeArchive(
  { input, lock, createdAt, history, past }: BackupRun,
  path: string,
  { contentDigest, recordsDigest, kinds, origin }: ExportedBackup,
  { repository, clock, files, minShare }: BackupDependencies,
  { signal }: RunContext,
): Promise<ArchiveEntry> {
  const file = await files.digest(path);
  const { stack, encryptedFor, signedBy } = input;
  const name = formatStoredName(stack, createdAt, isEncrypted(input));
  const now = new Date(clock.now()).toISOString();
  const about = { archive: name, contentDigest, recordsDigest, ...file, storedAt: now, checkedAt: now, kinds, origin };
  const { suspect = [], ...compared } = compareWithBaseline(about, history.baseline, minShare);
  const reasons = past.lossReason === undefined ? suspect : [past.lossReason, ...suspect];
  const entry = {
    ...about,
    ...(encryptedFor !== undefined && { encryptedFor }),
    ...compared,
    ...(reasons.length > 0 && { suspect: reasons }),
  };
  await lock.assertHeld();
  // If the repository was emptied, the status is written before the archive: only the status can later tell that the repository was
  // emptied. If the status cannot be written, nothing is stored.
  if (past.lossReason !== undefined) await writeStatus(stack, entry, history.archives, repository);
  // The signature is stored first, so that no archive is ever visible without its signature. A signature without an archive has no
  // effect.
  const isSigned = signedBy !== undefined;
  if (isSigned) await repository.put(`${path}.sig`, `${name}.sig`, signal);
  try {
    await repository.put(path, name, signal);
  } catch (error) {
    // A failed `put` may leave a cut-off archive without a status entry. No such file may stay under an archive's name.
    await repository.remove(name).catch(() => {});
    if (isSigned) await repository.remove(`${name}.sig`).catch(() => {});
    throw error;
  }
  return entry;
}

/**
 * Returns the error of a run that failed after it had stored the archive. The error names the archive, because the archive is
 * whole, stays in the repository and counts as a backup in later runs.
 */
function failedAfterStoring(archive: string, error: unknown): unknown {
  if (!(error instanceof StackferryError)) return error;
  return rewordError(error, `${archive} is stored and counts as a backup, but ${error.message}`);
}

/** Warns about archives that are dated in the future. They never count as the newest, and no run removes them. */
function emitAheadWarning({ archives }: StackHistory, { events }: RunContext): void {
  const ahead = archives.filter(({ isAhead }) => isAhead === true);
  const [newest] = ahead;
  if (newest === undefined) return;
  const which = ahead.length === 1 ? newest.name : `${ahead.length} backups (the newest: ${newest.name})`;
  const message = `not counted, because dated later than this machine's clock: ${which}; set the clock if it is behind; if another machine's clock was ahead, remove the backups that it dated`;
  events({ type: "warning", warning: { code: "dated-ahead", message } });
}

function emitSuspectWarning({ archive, suspect = [] }: ArchiveEntry, { events }: RunContext): void {
  if (suspect.length === 0) return;
  const message = suspect.map((reason) => reason.message).join("; ");
  const text = `${archive} is suspect: ${message}. Older backups are kept until it is accepted or a good one follows.`;
  events({ type: "warning", warning: { code: "suspect-backup", message: text } });
}

/**
 * Refuses a plain-text backup if the stack's newest archive is encrypted: a command that forgets the key must not store the content
 * in plain text. For a stack without archives, the newest archive of the repository decides.
 * @throws StackferryError `usage`
 */
async function refusePlainText(
  input: BackupInput,
  { archives }: StackHistory,
  { repository }: BackupDependencies,
  { signal }: RunContext,
): Promise<void> {
  if (isEncrypted(input) || input.plainText === true) return;
  const ours = archives.filter(({ refused }) => refused === undefined);
  const others: readonly StoredArchive[] =
    ours.length > 0 ? ours : await listStoredArchives(repository, undefined, signal);
  const [newest] = others.toSorted((left, right) => right.at - left.at);
  if (newest?.encrypted !== true) return;
  throw new StackferryError(
    "usage",
    `${newest.name} in ${repository.address} is encrypted, and this backup of ${input.stack} would be plain text`,
    {
      hint: "give --recipient or --passphrase-file, or configure recipients for the repository; --plain-text stores this backup unencrypted",
    },
  );
}
