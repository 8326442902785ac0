import type { Plan, PlanItem } from "../../core/plan/plan.ts";

/** The members of a plan's parts that are texts with names. */
const TEXTS: readonly string[] = ["name", "displayName", "targetName", "message", "change"];

/**
 * Redacts the names in all that is shown and journalled of a plan. The records in it keep their names, so what is written and
 * matched stays the same.
 * @param redact redacts the names in a text
 */
export function redactPlanNames(plan: Plan, redact: (text: string) => string): Plan {
  const redactTexts = <Part extends object>(part: Part): Part => {
    const texts = Object.entries(part).flatMap(([member, value]) =>
      TEXTS.includes(member) && typeof value === "string" ? [[member, redact(value)]] : [],
    );
    return { ...part, ...Object.fromEntries(texts) };
  };
  const redactItem = (item: PlanItem): PlanItem => ({
    ...redactTexts(item),
    ...(item.transformed && { transformed: item.transformed.map(redactTexts) }),
    ...(item.fitted && { fitted: item.fitted.map(redactTexts) }),
  });
  const { items, matches, unresolved, missingSecrets, warnings, mirror } = plan;
  return {
    ...plan,
    items: items.map(redactItem),
    matches: matches.map(redactTexts),
    unresolved: unresolved.map((entry) => ({ ...redactTexts(entry), candidates: entry.candidates.map(redactTexts) })),
    missingSecrets: missingSecrets.map(redactTexts),
    warnings: warnings.map(redactTexts),
    ...(mirror && { mirror: { ...mirror, removals: mirror.removals.map(redactTexts) } }),
  };
}
