import { groupBy } from "../../core/collections.ts";
import { StackferryError } from "../../core/errors.ts";
import type { RunContext } from "../../core/events.ts";
import { withoutWarnings } from "../../core/events.ts";
import type { Clock, StackClient } from "../../core/ports.ts";
import type { KindName, StackRecord } from "../../core/records/record.ts";
import { knownKind } from "../../kinds/registry.ts";
import { readInventory } from "../../matching/inventory.ts";

/** A record that the target should have. */
export interface ExpectedRecord {
  readonly kind: KindName;
  readonly id: string;
}

export interface ListReading {
  readonly client: StackClient;
  readonly clock: Clock;
  /** Longest delay, in milliseconds, between a write and the list that shows it. */
  readonly consistencyWaitMs: number;
}

const FIRST_PAUSE_MS = 250;

/**
 * Reads the lists of these kinds until they show all the records, or the time is over. Costs one request per list page, and more
 * if the lists lag. Returns the records found, by `listedKey`.
 */
export async function pollUntilListed(
  expected: readonly ExpectedRecord[],
  { client, clock, consistencyWaitMs }: ListReading,
  context: RunContext,
): Promise<ReadonlyMap<string, StackRecord>> {
  const found = new Map<string, StackRecord>();
  const deadline = clock.now() + consistencyWaitMs;
  const quiet = withoutWarnings(context);
  for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
    const unlisted = expected.filter((record) => !found.has(listedKey(record)));
    const kinds = [...groupBy(unlisted, ({ kind }) => kind).keys()].map(knownKind);
    if (kinds.length === 0) return found;
    const inventory = await readInventory(client, kinds, quiet);
    for (const { records } of inventory.kinds.values()) {
      for (const record of records) found.set(listedKey(record), record);
    }
    const timeLeft = deadline - clock.now();
    if (timeLeft <= 0 || unlisted.every((record) => found.has(listedKey(record)))) return found;
    if (context.signal?.aborted)
      throw new StackferryError("interrupted", "the check of what was written was interrupted");
    await clock.sleep(Math.min(pause, timeLeft), context.signal);
  }
}

/** Some stacks change the case of ids between answers. */
export function listedKey({ kind, id }: ExpectedRecord): string {
  return `${kind} ${id.toLowerCase()}`;
}
