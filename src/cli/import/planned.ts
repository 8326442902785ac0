import type { Outcome } from "../../core/outcome.ts";
import type { Plan, Unresolved } from "../../core/plan.ts";
import { someCandidates } from "../../core/plan.ts";

/** A plan's items as outcomes of a run that wrote nothing. */
export function plannedOutcomes(plan: Plan): Outcome[] {
  return plan.items.map(({ kind, name, sourceId, action, targetId, code, message }) => ({
    kind,
    name,
    sourceId,
    ...(targetId !== undefined && { targetId }),
    action,
    status: "planned",
    ...(code !== undefined && { code }),
    ...(message !== undefined && { message }),
  }));
}

/** What `--json` says of a plan beside the outcomes. `moreCandidates`: how many there are that are not named. */
export function planMembers({ matches, unresolved, toFill }: Plan): Record<string, unknown> {
  return { matches, unresolved: unresolved.map(shortened), toFill };
}

function shortened(entry: Unresolved): Unresolved & { readonly moreCandidates?: number } {
  const { some, more } = someCandidates(entry);
  return more === 0 ? entry : { ...entry, candidates: some, moreCandidates: more };
}
