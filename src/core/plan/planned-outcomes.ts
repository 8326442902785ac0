import type { Outcome } from "../outcome.ts";
import type { Plan, PlanItem } from "./plan.ts";
import type { Removal } from "./removal.ts";

/** Converts a plan's items into outcomes of a dry run. */
export function plannedOutcomes(plan: Plan): Outcome[] {
  const removals = plan.mirror?.removals ?? [];
  return [...plan.items.map(plannedOutcome), ...removals.map(removalOutcome)];
}

function plannedOutcome(item: PlanItem): Outcome {
  const { kind, name, displayName, sourceId, action, targetId, targetName, code, message } = item;
  return { kind, name, sourceId, displayName, targetId, targetName, action, status: "planned", code, message };
}

/** Converts a removal to the outcome of a run that did not reach it. */
export function removalOutcome({ kind, name, sourceId, targetId, action, code, message }: Removal): Outcome {
  const why = { ...(code !== undefined && { code }), ...(message !== undefined && { message }) };
  return { kind, name, sourceId, targetId, action, status: "planned", ...why };
}
