import type { BackupDependencies } from "./dependencies.ts";
import type { JudgedArchive, StackHistory } from "./history/read-history.ts";
import { isGood } from "./history/read-history.ts";
import type { SuspectReason } from "./history/suspect.ts";
import type { ArchiveEntry } from "./history/status.ts";
import { z } from "zod";
import { StackferryError } from "../core/errors.ts";
import type { Repository } from "../core/ports.ts";

/** The repository's past before this run. */
export interface Past {
  readonly isFirst: boolean;
  /** A good backup existed, and none is there to compare with. */
  readonly lost?: SuspectReason;
}

/**
 * Tells an emptied folder, or one whose disk is not mounted, from a new folder. Uses the repository's marker and this machine's
 * own record.
 */
export async function readKnownBackups(
  stack: string,
  { archives }: StackHistory,
  { repository, clock, knownBackups }: BackupDependencies,
): Promise<Past> {
  const good = archives.filter((archive) => isGood(archive) && archive.damaged === undefined);
  const marked = await markedAt(stack, repository);
  const before = marked ?? (await knownBackups.storedAt(stack));
  // Without the marker, an archive counts only if it is no newer than the last known good backup: a killed run may have left a
  // newer one in the emptied folder.
  const isThere = ({ at, entry }: JudgedArchive): boolean =>
    marked !== undefined || before === undefined || at <= Date.parse(before) || entry?.accepted === true;
  if (good.some(isThere)) return { isFirst: false };
  if (before === undefined) return { isFirst: archives.length === 0 };
  const ahead = archives.find(({ isAhead }) => isAhead === true);
  if (ahead !== undefined) {
    const now = new Date(clock.now()).toISOString();
    const message = `it cannot be compared: this machine's clock says ${now}, and ${ahead.name} is dated later; check the clock`;
    return { isFirst: false, lost: { code: "nothing-to-compare", message } };
  }
  const message = `${repository.address} held a good backup of ${stack} (${before}) and now holds none: it may have been emptied, its disk may not be mounted, or all backups may be damaged`;
  return { isFirst: false, lost: { code: "emptied", message } };
}

/** Records a good backup, in the repository and on this machine. */
export async function noteGood(
  stack: string,
  at: number,
  { checkedAt }: ArchiveEntry,
  { repository, knownBackups }: BackupDependencies,
): Promise<void> {
  // If the clock was set back, an archive's name has a later time than the clock.
  const storedAt = new Date(Math.max(at, Date.parse(checkedAt))).toISOString();
  await knownBackups.note(stack, storedAt);
  await markStack(stack, storedAt, repository);
}

/** The file that marks a folder or prefix as a repository, and lists the stacks that have a good backup in it. */
const MARKER = "stackferry-repository.json";

/** Several runs may add their stacks at the same time, so a lost race is retried. */
const MAX_TRIES = 8;

const markerSchema = z.looseObject({
  format: z.literal("stackferry-repository"),
  version: z.literal(1),
  /** Time of each stack's first good backup, ISO 8601, UTC. */
  stacks: z.record(z.string(), z.string()),
});
type Marker = z.output<typeof markerSchema>;

/** Returns the time of a stack's first good backup; undefined if the repository knows of none. */
async function markedAt(stack: string, repository: Repository): Promise<string | undefined> {
  return (await readMarker(repository)).marker?.stacks[stack];
}

/** Marks the repository as having a good backup of the stack. If the mark cannot be written, the next run does it. */
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
      if ((await repository.swap(MARKER, `${JSON.stringify(next, undefined, 2)}\n`, version)).done) return;
    }
  } catch (error) {
    // Not an error: the backup itself is stored, and the folder may allow no files beside the stacks' folders.
    if (!(error instanceof StackferryError)) throw error;
  }
}

async function readMarker(repository: Repository): Promise<{
  readonly marker?: Marker | undefined;
  readonly version?: string | undefined;
  /** Set if the entry is not a small file; it is then left alone. */
  readonly problem?: string;
}> {
  const found = await repository.readText(MARKER);
  if (found === undefined) return {};
  if (found.problem !== undefined) return { problem: found.problem };
  try {
    const parsed: unknown = JSON.parse(found.text);
    return { marker: markerSchema.safeParse(parsed).data, version: found.version };
  } catch {
    return { version: found.version };
  }
}
