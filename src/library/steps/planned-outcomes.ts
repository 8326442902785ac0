import type { Outcome } from "../../core/outcome.ts";
import type { Plan, PlanItem } from "../../core/plan/plan.ts";
import { removalOutcome } from "../../import/apply/remove-all.ts";

/** Converts a plan's items into outcomes of a dry run. */
export function plannedOutcomes(plan: Plan): Outcome[] {
  const removals = plan.mirror?.removals ?? [];
  return [...plan.items.map(plannedOutcome), ...removals.map(removalOutcome)];
}

function plannedOutcome(item: PlanItem): Outcome {
  const { kind, name, called, sourceId, action, targetId, targetName, code, message } = item;
  return { kind, name, sourceId, called, targetId, targetName, action, status: "planned", code, message };
}
