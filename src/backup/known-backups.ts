import { isFileListed } from "./archive-names.ts";
import type { BackupDependencies } from "./dependencies.ts";
import { isGood, type JudgedArchive, type StackHistory } from "./history/read-history.ts";
import type { SuspectReason } from "./history/suspect.ts";
import type { ArchiveEntry } from "./history/status.ts";
import { z } from "zod";
import { StackferryError } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import { parseJsonAs } from "../core/json.ts";
import type { Repository } from "../core/ports.ts";
import { MAX_NAMED, joinNames } from "../core/text/format.ts";

/** The facts that are known before a run about the earlier backups of a stack. */
export interface EarlierBackups {
  readonly isFirst: boolean;
  /** Set if the stack had a good backup, but the repository has no backup left to compare the new one with. */
  readonly lossReason?: SuspectReason;
}

/**
 * Distinguishes a new repository from one that was emptied, or whose disk is not mounted. The repository's marker file and this
 * machine's own record show whether there were backups.
 */
export async function readEarlierBackups(
  stack: string,
  { archives }: StackHistory,
  { repository, clock, localRecord }: BackupDependencies,
): Promise<EarlierBackups> {
  const good = archives.filter((archive) => isGood(archive) && archive.damaged === undefined);
  const { marker } = await readMarker(repository);
  const marked = marker?.stacks[stack];
  const before = marked ?? (await localRecord.lastGoodBackupAt(stack));
  // Without the marker, an archive counts only if it is no newer than the last known good backup: a killed run may have left a
  // newer archive in the emptied folder.
  const isThere = ({ at, entry }: JudgedArchive): boolean =>
    marked !== undefined || before === undefined || at <= Date.parse(before) || entry?.accepted === true;
  if (good.some(isThere)) return { isFirst: false };
  if (before === undefined) return { isFirst: archives.length === 0 };
  const ahead = archives.find(({ isAhead }) => isAhead === true);
  if (ahead !== undefined) {
    const now = new Date(clock.now()).toISOString();
    const message = `it cannot be compared: this machine's clock says ${now}, and ${ahead.name} is dated later; check the clock`;
    return { isFirst: false, lossReason: { code: "nothing-to-compare", message } };
  }
  const message = `${repository.address} held a good backup of ${stack} (${before}) and now holds none: it may have been emptied, its disk may not be mounted, or all backups may be damaged`;
  return { isFirst: false, lossReason: { code: "emptied", message } };
}

/**
 * Warns if the newest backup that `status.json` records is not in the repository. No run removes the newest backup, so somebody
 * removed it, or the repository's list lacks it. Without the warning, an older backup would look like the newest.
 */
export async function emitMissingWarning(
  { archives, newestRecorded }: StackHistory,
  { repository }: BackupDependencies,
  { events, signal }: RunContext,
): Promise<void> {
  if (newestRecorded === undefined || archives.some(({ name }) => name === newestRecorded)) return;
  // Another run may have stored the backup after the list was made.
  if (await isFileListed(newestRecorded, repository, signal)) return;
  const message = `${newestRecorded} is missing from ${repository.address}: status.json records it as the newest backup, so somebody removed it, or the repository does not list it; look for it there`;
  events({ type: "warning", warning: { code: "missing-backup", message } });
}

/**
 * Warns of stacks that the marker file names although the repository has no backup of them any more.
 * @param present the stacks that have backups, or whose lack of backups is reported anyway
 */
export async function emitEmptiedWarning(
  present: readonly string[],
  { repository }: BackupDependencies,
  { events }: RunContext,
): Promise<void> {
  // A key that may not read the marker file can still list and check the backups.
  const { marker } = await readMarker(repository).catch((): { readonly marker?: Marker } => ({}));
  const emptied = Object.keys(marker?.stacks ?? {}).filter((stack) => !present.includes(stack));
  if (emptied.length === 0) return;
  const names = joinNames(emptied, MAX_NAMED, (stack) => stack);
  const message = `${repository.address} had a good backup of ${names} and has none now: if that is intended, remove the name from ${MARKER}`;
  events({ type: "warning", warning: { code: "missing-backup", message } });
}

/** Records a good backup, in the repository and on this machine. */
export async function recordGoodBackup(
  stack: string,
  at: number,
  { checkedAt }: ArchiveEntry,
  { repository, localRecord }: BackupDependencies,
): Promise<void> {
  // If the clock was set back, the archive's name has a later time than the clock: the later of the two is recorded.
  const storedAt = new Date(Math.max(at, Date.parse(checkedAt))).toISOString();
  await localRecord.recordGoodBackup(stack, storedAt);
  await markStack(stack, storedAt, repository);
}

/** The file that marks a folder or prefix as a repository, and lists the stacks that have a good backup in it. */
const MARKER = "stackferry-repository.json";

/** Maximum number of attempts to change the marker file, as several runs may add their stacks to it at the same time. */
const MAX_TRIES = 50;

const markerSchema = z.looseObject({
  format: z.literal("stackferry-repository"),
  version: z.literal(1),
  /** Time of each stack's first good backup, ISO 8601, UTC. */
  stacks: z.record(z.string(), z.string()),
});
type Marker = z.output<typeof markerSchema>;

/** Adds the stack to the marker file, because it has a good backup. If the file cannot be written, the next run tries again. */
async function markStack(stack: string, at: string, repository: Repository): Promise<void> {
  // The stacks of this run take turns, because each write replaces the whole file.
  const turn = (turns.get(repository) ?? Promise.resolve()).then(() => addStack(stack, at, repository));
  turns.set(repository, turn);
  await turn;
}

const turns = new WeakMap<Repository, Promise<void>>();

async function addStack(stack: string, at: string, repository: Repository): Promise<void> {
  try {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const { marker, version, problem } = await readMarker(repository);
      if (marker?.stacks[stack] !== undefined || problem !== undefined) return;
      const stacks = { ...marker?.stacks, [stack]: at };
      const next = { ...marker, format: "stackferry-repository", version: 1, stacks };
      const swapped = await repository.swap(MARKER, `${JSON.stringify(next, undefined, 2)}\n`, version);
      // In a store without conditional writes, another run may have overwritten the stack, so the file is read once more.
      if (swapped.done && swapped.sure) return;
    }
  } catch (error) {
    // A failed write of the marker file is no error: the backup is stored, and the repository may allow no files beside the stacks'
    // folders.
    if (!(error instanceof StackferryError)) throw error;
  }
}

async function readMarker(repository: Repository): Promise<{
  readonly marker?: Marker | undefined;
  readonly version?: string | undefined;
  /** Set if something other than a small file has the marker file's name. That other file is then left unchanged. */
  readonly problem?: string;
}> {
  const found = await repository.readText(MARKER);
  if (found === undefined) return {};
  if (found.problem !== undefined) return { problem: found.problem };
  return { marker: parseJsonAs(markerSchema, found.text), version: found.version };
}
