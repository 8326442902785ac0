import type { Code } from "../core/codes.ts";
import type { NamedRecord, StackRecord } from "../core/records/record.ts";
import type { FindRecord } from "../core/resource-kind.ts";
import { displayNameMember } from "../kinds/nouns.ts";
import { foldIds } from "../references/known-ids.ts";
import { leavesRunIncomplete, type Outcome, type Warning } from "../core/outcome.ts";

/** The codes that only a rollback has, or that mean something else in an import, with their messages. */
export const OWN_MESSAGES: Readonly<Partial<Record<Code, string>>> = {
  gone: "is no longer on the target",
  "put-back": "is on the target as it was before the import",
  "changed-since": "was changed on the target since the import; --force undoes it anyway",
  "no-previous": "the journal does not have its former content; restore it by hand, or from an archive",
  redacted:
    "held a secret that the journal does not store, or may have held one that the API never returns; restore it by hand, or from an archive with --secrets",
  exists: "is on the target again, with other content or without some of its links; compare it, and change it by hand",
  "dead-reference": "the record that it needs is not there, and is not restored; restore both by hand",
  "unshown-tile": "was on a tile that the API does not show; create both again by hand",
};

export function leaveAlone(
  { kind, id, name, body }: NamedRecord & Partial<StackRecord>,
  code: Code,
  about: { readonly sourceId?: string; readonly message?: string | undefined; readonly find?: FindRecord } = {},
): Outcome {
  const { sourceId = id, message = OWN_MESSAGES[code] ?? "", find } = about;
  const displayName = body && find && displayNameMember({ kind, id, name, body }, find);
  return { kind, name, ...displayName, sourceId, targetId: id, action: "skip", status: "done", code, message };
}

/** The codes of an import's decisions on images, and what they mean for a rollback. */
const RENAMED: Readonly<Partial<Record<Code, Code>>> = {
  "both-changed": "changed-since",
  kept: "changed-since",
};

/**
 * Words an outcome of the import of images as one of a rollback.
 * @param isReplaced whether a run replaced the record; otherwise a run deleted it
 */
export function rollbackOutcome(outcome: Outcome, isReplaced: boolean): Outcome {
  const { action, code, message, ...about } = outcome;
  if (isAsBefore(outcome, isReplaced)) {
    return { ...about, action: "skip", code: "put-back", message: OWN_MESSAGES["put-back"] };
  }
  // The user has forced the update of a record that somebody had changed.
  if (action === "update" && code === "both-changed") return { ...about, action };
  if (action !== "skip" && action !== "blocked") return outcome;
  if (code === undefined) return outcome;
  const ownCode = RENAMED[code] ?? code;
  // The import has named the record that is missing.
  const isNamed = ownCode === "dead-reference" && message !== undefined;
  return { ...outcome, code: ownCode, message: isNamed ? message : (OWN_MESSAGES[ownCode] ?? message) };
}

/** Tells whether the target has what it had before. A deleted record that is there again, under its own id, may have any content. */
function isAsBefore({ action, code, sourceId, targetId = "" }: Outcome, isReplaced: boolean): boolean {
  if (action === "unchanged" || code === "matched") return true;
  return !isReplaced && code === "exists" && foldIds(sourceId) === foldIds(targetId);
}

/** Codes of records that are already as they were before the import, or that no longer exist. */
const NOTHING_TO_UNDO: ReadonlySet<string> = new Set(["gone", "put-back"]);

/** Codes of warnings about records that are restored except for a part. */
const RESTORED_IN_PART: ReadonlySet<string> = new Set(["hidden-lost", "left-out", "not-stored"]);

/**
 * Tells whether a record is not as it was before the import. True also for records that are left alone because somebody has changed
 * or used them since: the user must know of such records.
 */
function isNotUndone(outcome: Outcome): boolean {
  const { action, code = "" } = outcome;
  return leavesRunIncomplete(outcome) || (action === "skip" && !NOTHING_TO_UNDO.has(code));
}

/** Tells whether a rollback has undone everything; for a dry run, whether it would. */
export function isUndone(outcomes: readonly Outcome[], warnings: readonly Warning[]): boolean {
  return !outcomes.some(isNotUndone) && !warnings.some(({ code }) => RESTORED_IN_PART.has(code));
}
