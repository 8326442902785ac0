import type { IdMap } from "../core/id-map.ts";
import { withoutPath } from "../core/member-path.ts";
import type { RecordKey, StackRecord } from "../core/record.ts";
import { recordKey } from "../core/record.ts";
import type { Translation } from "../import/apply/bodies.ts";
import { createBody, updateBody } from "../import/apply/bodies.ts";
import type { SafeWriter } from "../import/apply/safe-writer.ts";
import type { DeletionPorts } from "../import/remove/delete-record.ts";
import { deleteRecord } from "../import/remove/delete-record.ts";
import { findKind } from "../kinds/registry.ts";
import { findReferences } from "../references/references.ts";
import type { RollbackItem } from "./item.ts";
import { learnIds } from "./new-ids.ts";

/** What undoing works with. */
export interface UndoContext extends DeletionPorts {
  readonly writer: SafeWriter;
  /** Ids of what was made again: the old one → the new one. They grow with every record. */
  readonly ids: IdMap;
  /** Records that are still to be made again: links to them have to wait. */
  readonly awaited: ReadonlySet<RecordKey>;
}

/** Deletes a record, or puts back what was there. Each takes a `GET` before: it may have been changed while the others were undone. */
export async function undoItem(item: RollbackItem, context: UndoContext): Promise<void> {
  const kind = findKind(item.kind);
  if (!kind || item.action === "skip") return;
  const { key, name, targetId, previous = {}, current } = item;
  const { writer, ids, awaited } = context;
  if (item.action === "delete") {
    await deleteRecord({ key, kind, name, targetId, expected: current, write: "delete" }, context);
    return;
  }
  if (item.action === "create") {
    const later = [...awaited].filter((each) => each !== recordKey(item.kind, targetId));
    const body = createBody(kind, lostRecord(item), translation(ids), later);
    learnIds(kind, { ...previous, id: targetId }, await writer.create({ key, name, kind }, body, "restore"), ids);
    return;
  }
  const body = { ...kind.clearOnUpdate, ...kind.serverOwned.reduce(withoutPath, previous) };
  const stored = await writer.update({ key, name, kind }, "restore", targetId, body, current);
  learnIds(kind, { ...previous, id: targetId }, stored, ids);
}

/** Adds the links of a record that was made again before what it points to was: there was no id for them yet. */
export async function addLinks(item: RollbackItem, { writer, ids, awaited }: UndoContext): Promise<void> {
  const kind = findKind(item.kind);
  const { key, name, previous = {} } = item;
  if (kind === undefined || item.action !== "create") return;
  const targetId = ids.get(item.kind, item.targetId);
  const waited = findReferences(kind, previous, new Map()).some(
    ({ record, leaveOut }) => leaveOut !== undefined && record !== undefined && awaited.has(record),
  );
  if (!waited || targetId === undefined) return;
  await writer.update(
    { key, name, kind },
    "restore",
    targetId,
    updateBody(kind, lostRecord(item), translation(ids), targetId),
  );
}

function lostRecord({ kind, targetId, name, previous = {} }: RollbackItem): StackRecord {
  return { kind, id: targetId, name, body: previous };
}

/** As it was, but for new ids. */
function translation(ids: IdMap): Translation {
  return { ids, known: new Map(), labels: { tags: [] } };
}
