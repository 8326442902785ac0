import { ignoreEvents } from "../../src/domain/events.ts";
import type { JournalEntry } from "../../src/domain/journal.ts";
import type { Outcome } from "../../src/domain/outcome.ts";
import { applyRollback } from "../../src/jobs/apply-rollback.ts";
import { readInventory } from "../../src/jobs/inventory.ts";
import { readJournalState } from "../../src/jobs/journal-state.ts";
import { planRollback } from "../../src/jobs/plan-rollback.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { memoryJournal } from "../../src/journal/memory-journal.ts";
import { instantClock } from "./instant-clock.ts";
import type { MemoryStack } from "./memory-stack.ts";

/** Undoes on a memory stack what the entries of a journal say, and answers what became of each record. */
export async function rollBack(
  stack: MemoryStack,
  entries: readonly JournalEntry[],
  force = false,
): Promise<readonly Outcome[]> {
  const context = { events: ignoreEvents };
  const inventory = await readInventory(stack.client, kinds, context);
  const items = planRollback({ state: readJournalState(entries), inventory, force });
  const tools = { client: stack.client, journal: memoryJournal(), clock: instantClock(), concurrency: 2 };
  const { outcomes } = await applyRollback({ items, ...tools }, context);
  return outcomes;
}
