import type { Outcome } from "../../core/outcome.ts";
import type { Plan, PlanItem } from "../../core/plan/plan.ts";
import { removalOutcome } from "../../import/remove/remove-all.ts";

/** Converts a plan's items into outcomes of a dry run. */
export function plannedOutcomes(plan: Plan): Outcome[] {
  const removals = plan.mirror?.removals ?? [];
  return [...plan.items.map(outcomeOf), ...removals.map(removalOutcome)];
}

function outcomeOf({ kind, name, called, sourceId, action, targetId, targetName, code, message }: PlanItem): Outcome {
  return {
    kind,
    name,
    sourceId,
    ...(called !== undefined && { called }),
    ...(targetId !== undefined && { targetId }),
    ...(targetName !== undefined && { targetName }),
    action,
    status: "planned",
    ...(code !== undefined && { code }),
    ...(message !== undefined && { message }),
  };
}
