import type { JsonObject } from "../core/json.ts";
import type { Outcome } from "../core/outcome.ts";
import { isIncomplete } from "../core/outcome.ts";
import type { KindName, RecordKey, StackRecord } from "../core/records/record.ts";

/** What is done with one record that the import wrote. */
export interface RollbackItem {
  readonly key: RecordKey;
  readonly kind: KindName;
  readonly sourceId: string;
  /** As the target calls it now; as the journal does where it is gone. */
  readonly name: string;
  /** What people call it, where it has no name. */
  readonly called?: string;
  readonly targetId: string;
  /** `update` puts back what the import replaced; `create` brings back what the server took away. */
  readonly action: "delete" | "update" | "create" | "skip";
  readonly code?: string;
  readonly message?: string;
  /** What is put back. */
  readonly previous?: JsonObject;
  /** What the target has now. */
  readonly current?: JsonObject;
  /** For `update`: the target's records that point to its children. The server may delete them along with it. */
  readonly dependents?: readonly StackRecord[];
  /** Records that have to be undone before, as they point to what is deleted or taken out. */
  readonly usedBy?: readonly RecordKey[];
}

/** A put-back has what was there and what is there. */
export type PutBack = RollbackItem & Required<Pick<RollbackItem, "previous" | "current">>;

export function isPutBack(item: RollbackItem): item is PutBack {
  return item.action === "update";
}

/** The item, when nothing is done with its record: it stays as the target has it. */
export function leftAlone(
  { previous: _previous, current: _current, dependents: _dependents, ...item }: RollbackItem,
  { code, message }: { readonly code: string; readonly message: string },
): RollbackItem {
  return { ...item, action: "skip", code, message };
}

/** The item, with what is otherwise than it was: the first code is that of the gravest. */
export function withNotes(
  item: RollbackItem,
  notes: readonly { readonly code: string; readonly message: string }[],
): RollbackItem {
  const all = [...(item.code === undefined ? [] : [{ code: item.code, message: item.message ?? "" }]), ...notes];
  const gravest = all.find(({ code }) => UNDONE_IN_PART.has(code)) ?? all[0];
  if (gravest === undefined) return item;
  return { ...item, code: gravest.code, message: all.map(({ message }) => message).join("; ") };
}

/** What a rollback shows of an item. */
export function describeItem(
  item: RollbackItem,
): Omit<RollbackItem, "key" | "previous" | "current" | "dependents" | "usedBy"> {
  const { kind, name, called, sourceId, targetId, action, code, message } = item;
  const why = { ...(code !== undefined && { code }), ...(message !== undefined && { message }) };
  return { kind, sourceId, name, ...(called !== undefined && { called }), targetId, action, ...why };
}

/** Left as they are because nothing can be done, not because somebody wants them so. */
const CANNOT_BE_UNDONE: ReadonlySet<string> = new Set([
  "redacted",
  "needed",
  "no-previous",
  "unproven",
  "ambiguous",
  "dependency-failed",
  "would-lose-hidden",
  "needs-adapting",
  "over-limit",
  "no-channel",
  "several-channels",
  "email-channel",
  "webhook-service",
  "unfit-source",
  "unfit-tile",
]);

/** Undone, but for a part that no write brings back. */
const UNDONE_IN_PART: ReadonlySet<string> = new Set(["hidden-lost", "left-out", "not-stored"]);

/** Whether a record was to be undone and is not, or not whole. What somebody has changed or uses by now is left to them. */
export function isNotUndone(outcome: Outcome): boolean {
  const { action, code = "" } = outcome;
  return isIncomplete(outcome) || (action === "skip" && CANNOT_BE_UNDONE.has(code)) || UNDONE_IN_PART.has(code);
}
