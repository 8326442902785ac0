import type { IdMap } from "../core/plan/id-map.ts";
import type { JsonObject } from "../core/json.ts";
import type { RecordKey } from "../core/records/record.ts";
import { recordKey } from "../core/records/record.ts";
import type { ChildIds, Refusal } from "../core/resource-kind.ts";
import { codeOf, nounOf } from "../kinds/names.ts";
import { findKind, knownKind } from "../kinds/registry.ts";
import { childIdOf, childrenOf } from "../references/children.ts";
import { foldIds } from "../references/known-ids.ts";
import type { Reference } from "../references/references.ts";
import { findReferences } from "../references/references.ts";
import type { RollbackItem } from "./item.ts";
import { leaveAlone, withNotes } from "./item.ts";
import { withNewIds } from "./new-ids.ts";
import type { RollbackInput } from "./written-records.ts";

/** The items, and the keys of those that must wait until the owner of their child is put back. */
export interface JudgedItems {
  readonly items: readonly RollbackItem[];
  readonly late: ReadonlySet<RecordKey>;
}

/**
 * Leaves records alone whose child is missing or does not accept them. An alert on a tile that the API does not show is lost with
 * the tile, and an alert on raw SQL is accepted only with an interval (docs/api.md#tile-alerts).
 * @param ids of records that earlier rollbacks created again
 */
export function checkChildren(items: readonly RollbackItem[], input: RollbackInput, ids: IdMap): JudgedItems {
  const owners = ownersOf(items, input);
  const late = new Set<RecordKey>();
  const hiding = new Map<string, string>();
  const judged = items.map((item): RollbackItem => {
    const { action, kind: name, previous } = item;
    if ((action !== "update" && action !== "create") || previous === undefined) return item;
    const kind = knownKind(name);
    for (const reference of findReferences(kind, withNewIds(kind, previous, ids), new Map())) {
      const verdict = judgeChild(reference, owners, input, action === "update");
      if (verdict === "late") late.add(item.key);
      else if (verdict !== undefined) {
        if (verdict.code === "hidden-lost" && reference.record) hiding.set(foldIds(reference.record), item.name);
        return leaveAlone(item, verdict);
      }
    }
    return item;
  });
  return { items: judged.map((item) => withoutHidden(item, hiding)), late };
}

/**
 * Adds a note to a put-back that cannot restore a hidden child of its record.
 * @param hiding the records that were on such a child, by its owner
 */
function withoutHidden(item: RollbackItem, hiding: ReadonlyMap<string, string>): RollbackItem {
  const lost = hiding.get(foldIds(recordKey(item.kind, item.targetId)));
  if (lost === undefined || (item.action !== "update" && item.action !== "create")) return item;
  const message = `is restored as far as the API showed it; the tile that "${lost}" was on is lost`;
  return withNotes(item, [{ code: "hidden-lost", message }]);
}

/** A record with children that other records live on. */
interface Owner {
  /** Undefined if the target has no such record. */
  readonly now: JsonObject | undefined;
  /** Undefined if the target will have no such record. */
  readonly becomes: JsonObject | undefined;
  /** By the journal, an import wrote the record, and so destroyed its content that no answer contains. */
  readonly isWritten: boolean;
  /** The former contents, from the journal. */
  readonly before: readonly JsonObject[];
}

type Owners = (key: RecordKey) => Owner;

function ownersOf(items: readonly RollbackItem[], { inventory, state, force }: RollbackInput): Owners {
  const foldedKey = (kind: string, id: string): string => `${kind} ${foldIds(id)}`;
  const byTarget = new Map(items.map((item) => [foldedKey(item.kind, item.targetId), item]));
  const lists = [...inventory.kinds.values()].flatMap(({ records }) => records);
  const bodies = new Map(lists.map(({ kind, id, body }) => [foldedKey(kind, id), body]));
  const writes = new Map<string, JsonObject[]>();
  for (const [key, runs] of state.writes) {
    const kind = key.slice(0, key.indexOf("/"));
    for (const { targetId, previous } of runs) {
      const place = foldedKey(kind, targetId);
      writes.set(place, [...(writes.get(place) ?? []), ...(previous === undefined ? [] : [previous])]);
    }
  }
  return (key) => {
    const place = foldedKey(key.slice(0, key.indexOf("/")), key.slice(key.indexOf("/") + 1));
    const [item, now] = [byTarget.get(place), bodies.get(place)];
    // If a record is restored, the record that it belongs to stays on the target, unless its removal is forced.
    const becomes = item?.action === "delete" && force ? undefined : (item?.previous ?? now);
    const isWritten = writes.has(place) || item?.action === "create";
    return {
      now,
      becomes,
      isWritten,
      before: [...(writes.get(place) ?? []), ...(item?.previous ? [item.previous] : [])],
    };
  };
}

function judgeChild(
  { space, id, record }: Reference,
  owners: Owners,
  { inventory }: RollbackInput,
  isUpdate: boolean,
): Refusal | "late" | undefined {
  const [kind = ""] = space.split("/");
  const children = findKind(kind)?.children.find((childKind) => childKind.space === space);
  if (children === undefined || record === undefined) return undefined;
  const owner = owners(record);
  const childIn = (body: JsonObject | undefined): JsonObject | undefined => childOf(body, children, id);
  const child = childIn(owner.becomes);
  if (child === undefined) {
    // If no import wrote the record, its hidden child may still exist.
    if (owner.becomes !== undefined && !owner.isWritten) return undefined;
    return missingChild(space, owner.before.some((body) => childIn(body) !== undefined) || owner.becomes === undefined);
  }
  const rule = children.pointedTo?.[inventory.stack.variant];
  const now = childIn(owner.now);
  if (rule === undefined || (isUpdate && now !== undefined && rule.accepts(now))) return undefined;
  if (rule.accepts(child)) return isUpdate && now !== undefined ? "late" : undefined;
  const message = `is on the ${nounOf(space)} "${children.nameOf(child)}", and the stack accepts it only on ${rule.only}`;
  return { code: codeOf("unfit", space), message };
}

function missingChild(space: string, wasShown: boolean): Refusal {
  const noun = nounOf(space);
  if (wasShown) return { code: "dependency-failed", message: `the ${noun} that it is on is not restored` };
  const message = `was on a hidden ${noun}, which the update deleted; create both again by hand`;
  return { code: "hidden-lost", message };
}

function childOf(body: JsonObject | undefined, children: ChildIds, id: string): JsonObject | undefined {
  const ownId = foldIds(id.slice(id.indexOf("/") + 1));
  return body && childrenOf(body, children).find((child) => foldIds(childIdOf(child)) === ownId);
}
