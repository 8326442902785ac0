import type { RunContext } from "../../core/events.ts";
import type { ManualMapping, Plan } from "../../core/importing/plan.ts";
import type { StackRecord } from "../../core/records/record.ts";
import { wholeInventory } from "../../matching/whole-inventory.ts";
import type { PreparedImport } from "./import-steps.ts";

/**
 * The plan, made again with whole records of the target where its lists leave members out: an update must not clear, and a journal
 * must not lack, what a list does not show. Costs a request for each kind that is updated.
 */
export async function planOnWholeRecords(
  prepared: PreparedImport,
  plan: Plan,
  mapping: ManualMapping,
  context: RunContext,
): Promise<Plan> {
  const differing = plan.items.flatMap(({ action, code, replaces }): StackRecord[] =>
    replaces !== undefined && (action === "update" || code === "edited" || code === "both-changed") ? [replaces] : [],
  );
  const samples = [...new Map(differing.toReversed().map((record) => [record.kind, record])).values()];
  const whole = await wholeInventory(prepared.inventory, samples, prepared.job.client, context);
  if (whole === undefined) return plan;
  prepared.planOn(whole);
  return prepared.planWith(mapping);
}
