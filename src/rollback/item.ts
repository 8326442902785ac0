import type { JsonObject } from "../core/json.ts";
import { leavesRunIncomplete, type Outcome } from "../core/outcome.ts";
import type { RecordKey, StackRecord } from "../core/records/record.ts";
import { definedMembers } from "../core/collections.ts";

/** The action for one record that the import wrote. */
export interface RollbackItem extends Omit<Outcome, "targetId" | "targetName" | "action" | "status"> {
  readonly key: RecordKey;
  /** The name on the target; if the record is gone, the name in the journal. */
  readonly name: string;
  readonly targetId: string;
  /** `update` puts back the content that the import replaced; `create` restores a record that the server deleted. */
  readonly action: "delete" | "update" | "create" | "skip";
  /** The content to restore. */
  readonly previous?: JsonObject;
  /** The content on the target now. */
  readonly current?: JsonObject;
  /** Names of children whose settings do not come back, because no answer shows them (docs/api.md#hidden-tiles). */
  readonly mayLose?: readonly string[];
  /** For `update`: the target's records that reference its children. The update may make the server delete them. */
  readonly dependents?: readonly StackRecord[];
  /** Set if the server deletes this record, not the rollback itself: the key of the item whose undoing causes the delete. */
  readonly cascadesFrom?: RecordKey;
  /** Keys of records that must be undone first, because they reference this record or one of its children. */
  readonly usedBy?: readonly RecordKey[];
}

/** An update that restores the former content. */
export type PutBack = RollbackItem & Required<Pick<RollbackItem, "previous" | "current">>;

export function isPutBack(item: RollbackItem): item is PutBack {
  return item.action === "update";
}

/** Tells whether a record is put back or created again. */
export function isRestored(item: RollbackItem): item is RollbackItem & Required<Pick<RollbackItem, "previous">> {
  return item.previous !== undefined && (item.action === "update" || item.action === "create");
}

/** A fact for the user about the undoing of one record. */
export interface RollbackNote {
  readonly code: string;
  readonly message: string;
}

/** Changes an item so that its record stays unchanged on the target. */
export function skipItem(
  { previous: _previous, current: _current, dependents: _dependents, ...item }: RollbackItem,
  { code, message }: RollbackNote,
): RollbackItem {
  return { ...item, action: "skip", code, message };
}

/** Adds to an item notes on how the restored record will differ from the former one. The item gets the gravest of the codes. */
export function withNotes(item: RollbackItem, notes: readonly RollbackNote[]): RollbackItem {
  const allNotes = [...(item.code === undefined ? [] : [{ code: item.code, message: item.message ?? "" }]), ...notes];
  const gravest = allNotes.find(({ code }) => UNDONE_IN_PART.has(code)) ?? allNotes[0];
  if (gravest === undefined) return item;
  return { ...item, code: gravest.code, message: allNotes.map(({ message }) => message).join("; ") };
}

/** Reduces an item to the members that a rollback reports. */
export function reportedMembers(item: RollbackItem) {
  const { kind, name, displayName, sourceId, targetId, action, code, message } = item;
  return definedMembers({ kind, sourceId, name, displayName, targetId, action, code, message });
}

/** Codes of records that are already as they were before the import, or that no longer exist. */
const NOTHING_TO_UNDO: ReadonlySet<string> = new Set(["gone", "put-back"]);

/** Codes of records that are undone except for a part that no write can restore. */
const UNDONE_IN_PART: ReadonlySet<string> = new Set(["hidden-lost", "left-out", "not-stored"]);

/**
 * Tells whether a record is not, or not completely, as it was before the import. True also for records that are left alone because
 * somebody has changed or used them since: the user must know of such records.
 */
export function isNotUndone(outcome: Outcome): boolean {
  const { action, code = "" } = outcome;
  return leavesRunIncomplete(outcome) || (action === "skip" && !NOTHING_TO_UNDO.has(code)) || UNDONE_IN_PART.has(code);
}
