import type { KindName } from "./records/record.ts";

/** What is, or would be, done with a record (design, section 3). */
export type Action = "create" | "update" | "skip" | "unchanged" | "blocked" | "delete" | "export";

/** How it ended. */
export type Status = "done" | "failed" | "planned";

/** One record's fate in a run. */
export interface Outcome {
  readonly kind: KindName;
  readonly name: string;
  /** What people call it, where it has no name: an alert by what it watches. */
  readonly called?: string;
  readonly sourceId: string;
  readonly targetId?: string;
  /** The name that the target's record has, or had before, where it is another one. */
  readonly targetName?: string;
  readonly action: Action;
  readonly status: Status;
  /** Stable, for programs: `missing-source`, `dependency-failed`, `rejected` … */
  readonly code?: string;
  /** For people. */
  readonly message?: string;
}

/** Something the user should know that did not stop the run. */
export interface Warning {
  readonly code: string;
  readonly message: string;
  /** JSON pointer into the record that the message names. */
  readonly pointer?: string;
}

/** What a record is called in texts; never empty. */
export function nameOrId({ name, called = "", sourceId }: Pick<Outcome, "name" | "called" | "sourceId">): string {
  return name || called || sourceId;
}

/** True for a record that was not written although the archive has it. What was only looked up on the target is no such record. */
export function isLeftAlone({ action, code, status }: Pick<Outcome, "action" | "code"> & Partial<Outcome>): boolean {
  return action === "skip" && code !== "matched" && !isOpen({ code }) && status !== "failed";
}

const DIFFERING: readonly unknown[] = ["exists", "edited", "both-changed", "differs", "lacks-links"];

/** True for a record that the target has with other content, and keeps so. */
export function isKeptDiffering({ action, code }: Pick<Outcome, "action" | "code">): boolean {
  return action === "skip" && DIFFERING.includes(code);
}

/** True where the run ended before anything became of the record, or before it was known what. */
export function isOpen({ code }: { readonly code?: string | undefined }): boolean {
  return code === "not-started" || code === "not-checked";
}

/** True when the outcome leaves the run incomplete (exit 3). */
export function isIncomplete(outcome: Outcome): boolean {
  return outcome.status === "failed" || outcome.action === "blocked";
}
