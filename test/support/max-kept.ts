import type { RetentionPolicy } from "../../src/core/retention-policy.ts";

/** Returns the maximum number of archives that a policy can keep, apart from `within`, which has no number. */
export function maxKeptArchives({ within: _within, ...counts }: RetentionPolicy): number {
  return Object.values(counts).reduce<number>((sum, count) => sum + (count === "all" ? Infinity : count), 0);
}
