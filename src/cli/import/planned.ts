import type { Plan, Unresolved } from "../../core/plan.ts";
import { someCandidates } from "../../core/plan.ts";

/** What `--json` says of a plan beside the outcomes. `moreCandidates`: how many there are that are not named. */
export function planMembers({ matches, unresolved, toFill }: Plan): Record<string, unknown> {
  return { matches, unresolved: unresolved.map(shortened), toFill };
}

function shortened(entry: Unresolved): Unresolved & { readonly moreCandidates?: number } {
  const { some, more } = someCandidates(entry);
  return more === 0 ? entry : { ...entry, candidates: some, moreCandidates: more };
}
