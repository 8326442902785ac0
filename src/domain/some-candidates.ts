import type { Unresolved } from "./plan.ts";

/** Candidates that are named for each id that could not be matched: the target can have thousands, and as many such ids. */
export const MOST_CANDIDATES = 50;

/** The candidates that are named, and how many more there are. */
export function someCandidates({ candidates }: Unresolved): {
  readonly some: Unresolved["candidates"];
  readonly more: number;
} {
  return { some: candidates.slice(0, MOST_CANDIDATES), more: Math.max(0, candidates.length - MOST_CANDIDATES) };
}
