import { getOrMake } from "../core/collections.ts";
import type { JsonObject } from "../core/json.ts";
import type { ChildIds, Refusal } from "../core/resource-kind.ts";
import { childIdOf, childrenAt, childrenOf } from "../references/children.ts";
import type { RollbackInput } from "./undo-record.ts";
import { foldIds, foldedKey } from "../references/known-ids.ts";
import { findReferences, type Reference } from "../references/references.ts";
import type { IdMap } from "../core/plan/id-map.ts";
import { recordKey, splitKey, type RecordKey } from "../core/records/record.ts";
import { knownKind } from "../kinds/registry.ts";
import { codeForIdSpace, nounOf } from "../kinds/nouns.ts";
import { skipItem, withNotes, isRestored, type RollbackItem } from "./item.ts";
import { withNewIds } from "./new-ids.ts";
import { recordFinder } from "../matching/inventory.ts";

/** `late`: keys of items that reference a child and must wait until the owner of this child is put back. */
export interface JudgedItems {
  readonly items: readonly RollbackItem[];
  readonly late: ReadonlySet<RecordKey>;
}

/**
 * Leaves alone each record that references a missing child, or a child that does not accept the record. For example, an alert on a
 * tile that the API does not show is lost with the tile, and an alert on raw SQL is accepted only with an interval
 * (docs/api.md#tile-alerts).
 * @param ids old ids of records that earlier rollbacks created again, with the new ids
 */
export function leaveAloneWithoutChild(items: readonly RollbackItem[], input: RollbackInput, ids: IdMap): JudgedItems {
  const owners = ownersOf(items, input);
  const late = new Set<RecordKey>();
  const lostByOwner = new Map<string, string>();
  const judged = items.map((item): RollbackItem => {
    if (!isRestored(item)) return item;
    const kind = knownKind(item.kind);
    for (const reference of findReferences(kind, withNewIds(kind, item.previous, ids), new Map())) {
      const verdict = judgeChild(reference, owners, input, item.action === "update");
      if (verdict === "late") late.add(item.key);
      else if (verdict !== undefined) {
        if (verdict.code === "hidden-lost" && reference.record) lostByOwner.set(foldIds(reference.record), item.name);
        return skipItem(item, verdict);
      }
    }
    return item;
  });
  return { items: judged.map((item) => withHiddenNote(item, lostByOwner)), late };
}

/**
 * Adds to an item a note on the loss of a hidden child.
 * @param lostByOwner by the owner of such a child: the record that was on the child
 */
function withHiddenNote(item: RollbackItem, lostByOwner: ReadonlyMap<string, string>): RollbackItem {
  const lost = lostByOwner.get(foldIds(recordKey(item.kind, item.targetId)));
  if (lost === undefined || !isRestored(item)) return item;
  const message = `only the parts that the API showed are restored; create the tile that "${lost}" was on again by hand`;
  return withNotes(item, [{ code: "hidden-lost", message }]);
}

/** A record that owns children on which other records live, such as a dashboard with alerts on its tiles. */
interface Owner {
  /** The record's body on the target now; undefined if the target does not have the record. */
  readonly now: JsonObject | undefined;
  /** The record's body after the rollback; undefined if the target will not have the record. */
  readonly becomes: JsonObject | undefined;
  /** Whether an import wrote the record, according to the journal. Such a write destroyed the record's hidden content. */
  readonly isWritten: boolean;
  /** The former bodies of the record, from the journal. */
  readonly before: readonly JsonObject[];
}

type Owners = (key: RecordKey) => Owner;

function ownersOf(items: readonly RollbackItem[], { inventory, state, force }: RollbackInput): Owners {
  const byTarget = new Map(items.map((item) => [foldedKey(item.kind, item.targetId), item]));
  const writes = new Map<string, JsonObject[]>();
  for (const [key, runs] of state.writes) {
    for (const { targetId, previous } of runs) {
      const bodies = getOrMake(writes, foldedKey(splitKey(key)[0], targetId), () => []);
      if (previous !== undefined) bodies.push(previous);
    }
  }
  return (key) => {
    const place = foldedKey(...splitKey(key));
    const [item, now] = [byTarget.get(place), recordFinder(inventory)(...splitKey(key))?.body];
    // Without --force, the owner counts as not deleted, because an owner that a restored record needs is not deleted.
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
  const children = childrenAt(space);
  if (children === undefined || record === undefined) return undefined;
  const owner = owners(record);
  const child = childOf(owner.becomes, children, id);
  if (child === undefined) return missingChild(owner, children, id);
  const rule = children.pointedTo?.[inventory.stack.variant];
  if (rule === undefined) return undefined;
  const present = isUpdate ? childOf(owner.now, children, id) : undefined;
  if (present !== undefined && rule.accepts(present)) return undefined;
  if (rule.accepts(child)) return present === undefined ? undefined : "late";
  const message = `is on the ${nounOf(space)} "${children.nameOf(child)}", and the stack accepts it only on ${rule.only}; restore it by hand on such a ${nounOf(space)}`;
  return { code: codeForIdSpace("unfit", space), message };
}

/** Tells why a record is left alone if its owner will lack the child; undefined if the owner may still have the child, hidden. */
function missingChild({ becomes, isWritten, before }: Owner, children: ChildIds, id: string): Refusal | undefined {
  // If no import wrote the owner, its hidden child may still exist.
  if (becomes !== undefined && !isWritten) return undefined;
  const noun = nounOf(children.space);
  if (becomes === undefined || before.some((body) => childOf(body, children, id) !== undefined)) {
    return { code: "dependency-failed", message: `the ${noun} that it is on is not restored; restore both by hand` };
  }
  const message = `was on a hidden ${noun}, which the update deleted; create both again by hand`;
  return { code: "hidden-lost", message };
}

function childOf(body: JsonObject | undefined, children: ChildIds, id: string): JsonObject | undefined {
  const ownId = foldIds(splitKey(id)[1]);
  return body && childrenOf(body, children).find((child) => foldIds(childIdOf(child)) === ownId);
}
