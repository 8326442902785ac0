import { splitKey, type RecordKey } from "../../core/records/record.ts";
import { StackferryError } from "../../core/errors.ts";
import type { RunContext } from "../../core/events.ts";
import type { Clock, StackClient } from "../../core/ports.ts";
import type { JournalReplay } from "../../journal/replay.ts";
import { kinds } from "../../kinds/registry.ts";
import { readTargetInventory, recordFinder, type Inventory } from "../../matching/inventory.ts";

export interface ReadTargetInput {
  readonly client: StackClient;
  /** Earlier runs into the target, one replay for each of their journals. */
  readonly earlierWrites: readonly JournalReplay[];
  readonly clock: Clock;
  /** Longest time, in milliseconds, until the target's lists show a write. */
  readonly consistencyWaitMs: number;
  /** Lists that were read in advance. They are used only if no earlier run has written anything. */
  readonly early?: Promise<Inventory>;
}

/** Waits until the lists show the writes of earlier runs, then reads them: otherwise a plan would create records twice. */
export async function readTarget(input: ReadTargetInput, context: RunContext): Promise<Inventory> {
  const { client, earlierWrites, clock, consistencyWaitMs, early } = input;
  const isFirst = earlierWrites.every(({ records, pendingWrites }) => records.size === 0 && pendingWrites.length === 0);
  if (early !== undefined && isFirst) return early;
  const listedFrom = earlierWrites.map((state) => timeOfEarlierWrites(state, clock.now(), consistencyWaitMs));
  await pauseUntil(Math.max(...listedFrom), clock, context);
  const inventory = await readTargetInventory(client, kinds, context);
  const behind = earlierWrites.filter((state) => isBehind(state, inventory));
  const until = Math.max(...behind.map(({ lastAt }) => lastAt + consistencyWaitMs));
  if (until <= clock.now()) return inventory;
  // The lists may lag behind: a run with `--no-verify` ends before its records appear in the lists, and a rollback never waits for
  // the lists.
  await pauseUntil(Math.min(until, clock.now() + consistencyWaitMs), clock, context);
  return readTargetInventory(client, kinds, context);
}

/** Tells whether the lists lack written or restored records, or still show deleted records. */
function isBehind({ records, broughtBack, cascadeLosses }: JournalReplay, inventory: Inventory): boolean {
  const find = recordFinder(inventory);
  const isThere = (key: RecordKey, id: string): boolean => find(splitKey(key)[0], id) !== undefined;
  return (
    [...records].some(([key, { targetId }]) => !isThere(key, targetId)) ||
    broughtBack.some(({ key, targetId }) => !isThere(key, targetId)) ||
    cascadeLosses.some(({ key, proven }) => proven && isThere(key, splitKey(key)[1]))
  );
}

/** Longest time, in milliseconds, that one request can take: its longest wait for a turn (in the pacer) plus all its retries. */
const MAX_ON_THE_WAY_MS = 60 * 60_000;

/**
 * Returns the time at which the lists surely show all writes of an earlier run. If that run was killed, the next run may start
 * before this time, and must wait.
 */
function timeOfEarlierWrites(state: JournalReplay, now: number, consistencyWaitMs: number): number {
  const isRecent = now - state.lastAt < MAX_ON_THE_WAY_MS;
  // A write is journalled before it waits for its turn, so the journal line does not tell when the write was sent.
  if (isRecent && state.pendingWrites.length > 0) return now + consistencyWaitMs;
  if (state.listsShowWrites) return now;
  // Even if the clock was set back, the wait is no longer than `consistencyWaitMs`.
  return Math.min(state.lastAt, now) + consistencyWaitMs;
}

/** Waits until the given time, and reports why. Throws `interrupted`. */
async function pauseUntil(untilMs: number, clock: Clock, { events, signal }: RunContext): Promise<void> {
  if (untilMs <= clock.now()) return;
  events({ type: "wait", reason: "the records of the last run may not be listed yet", waitMs: untilMs - clock.now() });
  try {
    await clock.sleep(untilMs - clock.now(), signal);
  } catch (cause) {
    throw new StackferryError("interrupted", "the run was interrupted", { cause });
  }
}
