import { StackferryError } from "../../core/errors.ts";
import type { RunContext } from "../../core/events.ts";
import type { Clock, StackClient } from "../../core/ports.ts";
import type { RecordKey } from "../../core/records/record.ts";
import type { JournalState } from "../../journal/state.ts";
import { isCreate } from "../../journal/state.ts";
import { kinds } from "../../kinds/registry.ts";
import type { Inventory } from "../../matching/inventory.ts";
import { readTargetInventory } from "../../matching/inventory.ts";
import { foldIds } from "../../references/known-ids.ts";

export interface ReadTargetInput {
  readonly client: StackClient;
  readonly state: JournalState;
  readonly clock: Clock;
  /** How long the target's lists may lag behind its writes, in milliseconds. */
  readonly listLagMs: number;
  /** The lists as they were read while something else was done: good enough where no earlier run has written anything. */
  readonly early?: Promise<Inventory>;
}

/**
 * Reads the target's lists once they show what earlier runs of the same import have written. Planning on lists that lag
 * would create a second time what is there already.
 */
export async function readTarget(input: ReadTargetInput, context: RunContext): Promise<Inventory> {
  const { client, state, clock, listLagMs, early } = input;
  if (early !== undefined && state.records.size === 0 && state.open.length === 0) return early;
  await awaitEarlierWrites(state, input, context);
  const inventory = await readTargetInventory(client, kinds, context);
  const until = state.lastAt + listLagMs;
  if (until <= clock.now() || !isBehind(state, inventory)) return inventory;
  // A run that was told not to look (`--no-verify`) ends before its records are listed, and a rollback does not look at all.
  await pause(Math.min(until, clock.now() + listLagMs), clock, context);
  return readTargetInventory(client, kinds, context);
}

/** Whether the lists lack what was written or made again, or still show what was deleted. */
function isBehind({ records, broughtBack, vanished }: JournalState, inventory: Inventory): boolean {
  const there = new Set(
    [...inventory.kinds].flatMap(([kind, known]) => known.records.map(({ id }) => `${kind} ${foldIds(id)}`)),
  );
  const isThere = (key: RecordKey, id: string): boolean => there.has(`${key.split("/")[0]} ${foldIds(id)}`);
  return (
    [...records].some(([key, { targetId }]) => !isThere(key, targetId)) ||
    broughtBack.some(({ key, targetId }) => !isThere(key, targetId)) ||
    vanished.some(({ key, proven }) => proven && isThere(key, key.slice(key.indexOf("/") + 1)))
  );
}

/** No request waits longer for its turn (the pacer's longest wait) and is repeated longer, all told. */
const MAX_ON_THE_WAY_MS = 60 * 60_000;

/**
 * Waits until the target's lists can be trusted to show what earlier runs have written: a run that was killed between a
 * write and its response may be followed by the next within a second, and a list may lag that far behind.
 */
export async function awaitEarlierWrites(
  state: JournalState,
  { clock, listLagMs }: { readonly clock: Clock; readonly listLagMs: number },
  context: RunContext,
): Promise<void> {
  const now = clock.now();
  const isRecent = now - state.lastAt < MAX_ON_THE_WAY_MS;
  // A create is written down before it waits for its turn, so its line does not say when it was sent.
  const isOpen = isRecent && state.open.some(isCreate);
  // A clock that was set back must not make anyone wait longer than the lag itself.
  const until = isOpen ? now + listLagMs : state.ended ? now : Math.min(state.lastAt + listLagMs, now + listLagMs);
  await pause(until, clock, context);
}

/** Waits, and says why. Throws `interrupted`. */
async function pause(untilMs: number, clock: Clock, { events, signal }: RunContext): Promise<void> {
  if (untilMs <= clock.now()) return;
  events({ type: "wait", reason: "what the last run wrote may not be listed yet", untilMs });
  try {
    await clock.sleep(untilMs - clock.now(), signal);
  } catch (cause) {
    throw new StackferryError("interrupted", "the run was interrupted", { cause });
  }
}
