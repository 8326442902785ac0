import type { Code } from "./codes.ts";
import { labelOf, type KindName } from "./records/record.ts";

/** The action that is, or would be, taken for a record. */
export type OutcomeAction = "create" | "update" | "skip" | "unchanged" | "blocked" | "delete" | "export";

export type OutcomeStatus = "done" | "failed" | "planned";

/** The outcome of a run for one record. */
export interface Outcome {
  readonly kind: KindName;
  readonly name: string;
  /** For an unnamed record: a phrase such as `on TILE (DASHBOARD)` or `in FILE`. */
  readonly displayName?: string;
  readonly sourceId: string;
  readonly targetId?: string;
  /** The present name of the target's record, if the import renames it. */
  readonly targetName?: string;
  readonly action: OutcomeAction;
  readonly status: OutcomeStatus;
  readonly code?: Code;
  readonly message?: string;
}

export interface Warning {
  readonly code: Code;
  readonly message: string;
  /** JSON pointer of the member that the warning is about. */
  readonly pointer?: string;
}

export function nameOfOutcome({ sourceId, ...record }: Pick<Outcome, "name" | "displayName" | "sourceId">): string {
  return labelOf({ ...record, id: sourceId });
}

export function isLeftAlone({ action, code, status }: Pick<Outcome, "action" | "code"> & Partial<Outcome>): boolean {
  return action === "skip" && code !== "matched" && code !== "not-started" && status !== "failed";
}

const DIFFERING: readonly unknown[] = ["exists", "edited", "both-changed"];

export function isLeftDifferent({ action, code }: Pick<Outcome, "action" | "code">): boolean {
  return action === "update" ? code === "kept" : action === "skip" && DIFFERING.includes(code);
}

/** True if a run with this outcome cannot exit with 0. */
export function leavesRunIncomplete(outcome: Outcome): boolean {
  return outcome.status === "failed" || outcome.action === "blocked" || outcome.code === "doubled";
}

export function countOutcomes(outcomes: readonly Outcome[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { action, status, code } of outcomes) {
    if (code === "not-started") continue;
    const done = action === "skip" && code === "matched" ? "matched" : action;
    const key = status === "failed" && action !== "blocked" ? "failed" : done;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}
