import type { Plan, Unresolved } from "../../domain/plan.ts";

/** Candidates that are named for each id that could not be matched. The target can have thousands, and as many such ids. */
const MOST_CANDIDATES = 50;

/** What `--json` says of a plan beside the outcomes. `moreCandidates`: how many there are that are not named. */
export function planMembers({ matches, unresolved, toFill }: Plan): Record<string, unknown> {
  return { matches, unresolved: unresolved.map(shortened), toFill };
}

function shortened(entry: Unresolved): Unresolved & { readonly moreCandidates?: number } {
  const more = entry.candidates.length - MOST_CANDIDATES;
  return more <= 0 ? entry : { ...entry, candidates: entry.candidates.slice(0, MOST_CANDIDATES), moreCandidates: more };
}
