import type { Plan, PlanItem } from "../../core/plan/plan.ts";
import { redactShownTexts } from "../../redaction/names.ts";

/**
 * Redacts the names in all that is shown and journalled of a plan. The records in it keep their names, so what is written and
 * matched stays the same.
 * @param redact redacts the names in a text
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
