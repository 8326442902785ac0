import type { Clock, StackClient } from "../domain/ports.ts";
import { kinds } from "../kinds/registry.ts";
import { awaitEarlierWrites, pause } from "./await-earlier-writes.ts";
import { readInventory } from "./inventory.ts";
import type { Inventory } from "./inventory.ts";
import type { JobContext } from "./job-context.ts";
import type { JournalState } from "./journal-state.ts";
import { foldIds } from "./known-ids.ts";

/** What the target's lists are read with. */
export interface ReadTargetInput {
  readonly client: StackClient;
  readonly state: JournalState;
  readonly clock: Clock;
  /** How long the target's lists may lag behind its writes, in milliseconds. */
  readonly settleMs: number;
  /** The lists as they were read while something else was done: good enough where no earlier run has written anything. */
  readonly early?: Promise<Inventory>;
}

/**
 * Reads the target's lists once they show what earlier runs of the same import have written. Planning on lists that lag
 * would create a second time what is there already.
 */
export async function readTarget(input: ReadTargetInput, context: JobContext): Promise<Inventory> {
  const { client, state, clock, settleMs, early } = input;
  if (early !== undefined && state.records.size === 0 && state.open.length === 0) return early;
  await awaitEarlierWrites(state, input, context);
  const inventory = await readInventory(client, kinds, context);
  const until = state.lastAt + settleMs;
  if (until <= clock.now() || !lacksWritten(state, inventory)) return inventory;
  // Only a run that was told not to look (`--no-verify`) ends before its records are listed.
  await pause(Math.min(until, clock.now() + settleMs), clock, context);
  return readInventory(client, kinds, context);
}

function lacksWritten({ records }: JournalState, inventory: Inventory): boolean {
  const there = new Set(
    [...inventory.kinds].flatMap(([kind, known]) => known.records.map(({ id }) => `${kind} ${foldIds(id)}`)),
  );
  return [...records].some(([key, { targetId }]) => !there.has(`${key.split("/")[0]} ${foldIds(targetId)}`));
}
