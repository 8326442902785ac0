import type { Outcome } from "../../core/outcome.ts";
import type { Plan } from "../../core/plan.ts";

/** A plan's items as outcomes of a run that wrote nothing. */
export function plannedOutcomes(plan: Plan): Outcome[] {
  return plan.items.map(({ kind, name, called, sourceId, action, targetId, targetName, code, message }) => ({
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
  }));
}
