import type { Plan, PlanItem } from "../../core/plan/plan.ts";
import { redactShownTexts } from "../../redaction/names.ts";

/**
 * Redacts the names in those parts of a plan that are shown or journalled. The records in the plan keep their names, so writes and
 * matches stay the same.
 * @param redact redacts the names in one text
 */
export function redactPlanNames(plan: Plan, redact: (text: string) => string): Plan {
  const redacted = <Part extends object>(part: Part): Part => redactShownTexts(part, redact);
  const redactItem = (item: PlanItem): PlanItem => ({
    ...redacted(item),
    ...(item.transformed && { transformed: item.transformed.map(redacted) }),
    ...(item.fitted && { fitted: item.fitted.map(redacted) }),
  });
  const { items, matches, unresolved, missingSecrets, warnings, mirror } = plan;
  return {
    ...plan,
    items: items.map(redactItem),
    matches: matches.map(redacted),
    unresolved: unresolved.map((entry) => ({ ...redacted(entry), candidates: entry.candidates.map(redacted) })),
    missingSecrets: missingSecrets.map(redacted),
    warnings: warnings.map(redacted),
    ...(mirror && { mirror: { ...mirror, removals: mirror.removals.map(redacted) } }),
  };
}
