import type { Code } from "./codes.ts";
import { labelOf, type KindName } from "./records/record.ts";

/** The action that is, or would be, taken for a record. */
export type OutcomeAction = "create" | "update" | "skip" | "unchanged" | "blocked" | "delete" | "export";

export type OutcomeStatus = "done" | "failed" | "planned";

/** The outcome of a run for one record. */
export interface Outcome {
  readonly kind: KindName;
  readonly name: string;
  /** Display name of a record that has no name: for an alert, the name of its tile or saved search. */
  readonly displayName?: string;
  readonly sourceId: string;
  readonly targetId?: string;
  /** The name of the target's record, if the import would give the record another name. */
  readonly targetName?: string;
  readonly action: OutcomeAction;
  readonly status: OutcomeStatus;
  /** A stable code for programs: `missing-reference`, `dependency-failed`, `rejected` … */
  readonly code?: Code;
  readonly message?: string;
}

/** A fact that the user should know and that did not stop the run. */
export interface Warning {
  readonly code: Code;
  readonly message: string;
  /** JSON pointer to the member that the message is about. */
  readonly pointer?: string;
}

export function nameOfOutcome({ sourceId, ...record }: Pick<Outcome, "name" | "displayName" | "sourceId">): string {
  return labelOf({ ...record, id: sourceId });
}

/** True if the run decided not to write the record. False for a record that was only matched, was not reached, or failed. */
export function isLeftAlone({ action, code, status }: Pick<Outcome, "action" | "code"> & Partial<Outcome>): boolean {
  return action === "skip" && code !== "matched" && !isOpen({ code }) && status !== "failed";
}

const DIFFERING: readonly unknown[] = ["exists", "edited", "both-changed"];

/** True for a record that stays on the target, whole or in part, and differs from the archive's record. */
export function isLeftDifferent({ action, code }: Pick<Outcome, "action" | "code">): boolean {
  return action === "update" ? code === "kept" : action === "skip" && DIFFERING.includes(code);
}

/** True if the run ended before the work on the record began. */
function isOpen({ code }: { readonly code?: string | undefined }): boolean {
  return code === "not-started";
}

/** True if a run with this outcome cannot exit with 0. */
export function leavesRunIncomplete(outcome: Outcome): boolean {
  return outcome.status === "failed" || outcome.action === "blocked" || outcome.code === "doubled";
}

/**
 * Counts outcomes by action. Failed and matched records are counted as `failed` and `matched` instead; blocked ones
 * always as `blocked`. Records that the run did not reach are not counted.
 */
export function countOutcomes(outcomes: readonly Outcome[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { action, status, code } of outcomes) {
    if (isOpen({ code })) continue;
    const done = action === "skip" && code === "matched" ? "matched" : action;
    const key = status === "failed" && action !== "blocked" ? "failed" : done;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}
