import type { IdMap, KnownIds } from "../core/plan/id-map.ts";
import type { JsonObject } from "../core/json.ts";
import type { Warning } from "../core/outcome.ts";
import type { RecordKey, StackRecord, Variant } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import type { Translation } from "../import/apply/bodies.ts";
import { acceptedBody, createBody, updateBody } from "../import/apply/bodies.ts";
import { compareKept, compareStored } from "../import/apply/compare-stored.ts";
import type { SafeWriter } from "../import/apply/safe-writer.ts";
import type { DeletionPorts } from "../import/remove/delete-record.ts";
import { deleteRecord } from "../import/remove/delete-record.ts";
import { knownKind } from "../kinds/registry.ts";
import { findReferences } from "../references/references.ts";
import type { RollbackItem } from "./item.ts";
import { learnIds, mentionsOf, withNewIds } from "./new-ids.ts";

/** What undoing works with. */
export interface UndoContext extends DeletionPorts {
  readonly writer: SafeWriter;
  /** Ids of what was made again: the old one → the new one. They grow with every record. */
  readonly ids: IdMap;
  /** What the target answered to each create. */
  readonly made: Map<RecordKey, JsonObject>;
  /** Records that are still to be made again: links to them have to wait. */
  readonly awaited: ReadonlySet<RecordKey>;
}

/**
 * Deletes a record, or puts back what was there. Each takes a `GET` before: it may have been changed while the others were undone.
 * @returns what the target has not stored as it was sent
 */
export async function undoItem(item: RollbackItem, context: UndoContext): Promise<readonly Warning[]> {
  if (item.action === "skip") return [];
  const kind = knownKind(item.kind);
  const { key, name, targetId, current } = item;
  const { writer, ids, awaited, client } = context;
  if (item.action === "delete") {
    await deleteRecord({ key, kind, name, targetId, expected: current, write: "delete" }, context);
    return [];
  }
  const record = lostRecord(item, kind, client.identity.variant);
  const before = { ...record.body, id: targetId };
  if (item.action === "create") {
    const body = createBody(kind, record, translation(ids), [...awaited]);
    const stored = await writer.create({ key, name, kind }, body, "restore");
    context.made.set(key, stored);
    learnIds(kind, before, stored, ids);
    return compareStored(kind, name, body, stored);
  }
  const body = { ...kind.clearOnUpdate, ...acceptedBody(kind, withNewIds(kind, record.body, ids)) };
  const after = await writer.update({ key, name, kind }, "restore", targetId, body, current);
  learnIds(kind, before, { ...after, id: targetId }, ids);
  const kept = current === undefined ? [] : compareKept(kind, name, { before: current, sent: body, stored: after });
  return [...compareStored(kind, name, body, after), ...kept];
}

/**
 * Whether what is put back or made again links to records that are to be made again, or speaks of one in a text: there are no ids for
 * them yet. @param mentions the ids of those records
 */
export function linksTo(
  { kind, previous = {} }: RollbackItem,
  awaited: ReadonlySet<RecordKey | undefined>,
  mentions: KnownIds,
): boolean {
  return findReferences(knownKind(kind), previous, mentions).some(({ record }) => awaited.has(record));
}

/** Adds them, once all of the kind have been made again. */
export async function addLinks(
  item: RollbackItem,
  { writer, ids, client, made }: UndoContext,
): Promise<readonly Warning[]> {
  const kind = knownKind(item.kind);
  const targetId = ids.get(item.kind, item.targetId) ?? item.targetId;
  const { key, name } = item;
  const record = lostRecord(item, kind, client.identity.variant);
  const body = updateBody(kind, record, translation(ids), targetId);
  const stored = await writer.update({ key, name, kind }, "restore", targetId, body, made.get(key));
  return compareStored(kind, name, body, stored);
}

function lostRecord(
  { targetId, name, previous = {} }: RollbackItem,
  kind: ResourceKind,
  variant: Variant,
): StackRecord {
  return { kind: kind.name, id: targetId, name, body: inOneForm(kind, previous, variant) };
}

/** As the target's own variant takes it, where one record says it all. */
function inOneForm({ formsOn }: ResourceKind, body: JsonObject, variant: Variant): JsonObject {
  // It is an answer of this very stack, so the stack takes what it has.
  const [form, ...others] = formsOn?.(body, { variant, shows: (member) => body[member] !== undefined }) ?? [];
  return form === undefined || others.length > 0 ? body : form;
}

/** As it was, but for new ids. */
function translation(ids: IdMap): Translation {
  return { ids, known: mentionsOf(ids), labels: { tags: [] } };
}
