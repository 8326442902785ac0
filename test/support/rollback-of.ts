import { ignoreEvents } from "../../src/core/events.ts";
import type { JournalEntry } from "../../src/core/plan/journal.ts";
import type { Outcome } from "../../src/core/outcome.ts";
import { memoryJournal } from "../../src/journal/memory-journal.ts";
import { replayJournal } from "../../src/journal/replay.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { readInventory } from "../../src/matching/inventory.ts";
import { applyRollback } from "../../src/rollback/apply.ts";
import { planRollback } from "../../src/rollback/plan.ts";
import { instantClock } from "./instant-clock.ts";
import type { MemoryStack } from "./memory-stack.ts";

/** Undoes on a memory stack what the entries of a journal say, and answers what became of each record. */
export async function rollBack(
  stack: MemoryStack,
  entries: readonly JournalEntry[],
  force = false,
  runs?: readonly number[],
): Promise<readonly Outcome[]> {
  const context = { events: ignoreEvents };
  const inventory = await readInventory(stack.client, kinds, context);
  const { items, ids } = planRollback({ state: replayJournal(entries), inventory, force, ...(runs && { runs }) });
  const dependencies = { client: stack.client, journal: memoryJournal(), clock: instantClock(), concurrency: 2 };
  const { outcomes } = await applyRollback({ items, ids, ...dependencies }, context);
  return outcomes;
}
