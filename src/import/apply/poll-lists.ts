import { groupBy } from "../../core/collections.ts";
import { StackferryError } from "../../core/errors.ts";
import { withoutWarnings, type RunContext } from "../../core/events.ts";
import type { Clock, StackClient } from "../../core/ports.ts";
import type { StackRecord } from "../../core/records/record.ts";
import { knownKind } from "../../kinds/registry.ts";
import { readInventory, recordsOf } from "../../matching/inventory.ts";
import { foldedKey } from "../../references/known-ids.ts";

export interface ListReadOptions {
  readonly client: StackClient;
  readonly clock: Clock;
  /** Longest time, in milliseconds, until the target's lists show a write. */
  readonly consistencyWaitMs: number;
}

/** First pause between two reads of the target's list, in milliseconds; doubled each time. */
export const FIRST_PAUSE_MS = 250;

/**
 * Reads the lists of the expected records' kinds until they show all of them, or until the time is over. Returns all records of
 * these lists, by `foldedKey`.
 */
export async function pollUntilListed(
  expected: readonly Pick<StackRecord, "kind" | "id">[],
  { client, clock, consistencyWaitMs }: ListReadOptions,
  context: RunContext,
): Promise<ReadonlyMap<string, StackRecord>> {
  const found = new Map<string, StackRecord>();
  const deadline = clock.now() + consistencyWaitMs;
  const quiet = withoutWarnings(context);
  for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
    const unlisted = expected.filter((record) => !found.has(foldedKey(record.kind, record.id)));
    const kinds = [...groupBy(unlisted, ({ kind }) => kind).keys()].map(knownKind);
    if (kinds.length === 0) return found;
    const listed = recordsOf(await readInventory(client, kinds, quiet));
    for (const record of listed) found.set(foldedKey(record.kind, record.id), record);
    const timeLeft = deadline - clock.now();
    if (timeLeft <= 0 || unlisted.every((record) => found.has(foldedKey(record.kind, record.id)))) return found;
    if (context.signal?.aborted)
      throw new StackferryError("interrupted", "the check of what was written was interrupted");
    await clock.sleep(Math.min(pause, timeLeft), context.signal);
  }
}
