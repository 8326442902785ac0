import { groupBy } from "../core/collections.ts";
import type { JsonObject } from "../core/json.ts";
import type { RecordKey, KindName } from "../core/records/record.ts";
import type { Refusal, ChildIds } from "../core/resource-kind.ts";
import type { Inventory } from "../matching/inventory.ts";
import { childIdOf, childrenOf } from "../references/children.ts";
import type { RollbackItem, PutBack } from "./item.ts";
import type { RollbackInput } from "./undo-record.ts";
import { foldIds, foldedKey } from "../references/known-ids.ts";
import { findReferences } from "../references/references.ts";
import type { IdMap } from "../core/plan/id-map.ts";
import { recordKey, splitKey } from "../core/records/record.ts";
import { findKind, knownKind } from "../kinds/registry.ts";
import { codeOf, nounOf, nameOfRecord } from "../kinds/nouns.ts";
import type { Reference } from "../references/references.ts";
import { leaveAlone, withNotes, isPutBack, isRestored } from "./item.ts";
import { withNewIds } from "./new-ids.ts";
import { childId } from "../core/plan/id-map.ts";
import { recordsOf } from "../matching/inventory.ts";

/** `late`: keys of items that reference a child and must wait until the owner of this child is put back. */
export interface JudgedItems {
  readonly items: readonly RollbackItem[];
  readonly late: ReadonlySet<RecordKey>;
}

/**
 * Leaves alone the records that reference a child that is missing or does not accept them. An alert on a tile that the API does not
 * show is lost with the tile, and an alert on raw SQL is accepted only with an interval (docs/api.md#tile-alerts).
 * @param ids old ids of records that earlier rollbacks created again, with the new ids
 */
export function checkChildren(items: readonly RollbackItem[], input: RollbackInput, ids: IdMap): JudgedItems {
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
        return leaveAlone(item, verdict);
      }
    }
    return item;
  });
  return { items: judged.map((item) => withHiddenNote(item, lostByOwner)), late };
}

/** Notes the loss of a hidden child. @param lostByOwner by owner of such a child: the record that was on it */
function withHiddenNote(item: RollbackItem, lostByOwner: ReadonlyMap<string, string>): RollbackItem {
  const lost = lostByOwner.get(foldIds(recordKey(item.kind, item.targetId)));
  if (lost === undefined || !isRestored(item)) return item;
  const message = `is restored as far as the API showed it; the tile that "${lost}" was on is lost`;
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
  const bodies = new Map(recordsOf(inventory).map(({ kind, id, body }) => [foldedKey(kind, id), body]));
  const writes = new Map<string, JsonObject[]>();
  for (const [key, runs] of state.writes) {
    for (const { targetId, previous } of runs) {
      const place = foldedKey(splitKey(key)[0], targetId);
      writes.set(place, [...(writes.get(place) ?? []), ...(previous === undefined ? [] : [previous])]);
    }
  }
  return (key) => {
    const place = foldedKey(...splitKey(key));
    const [item, now] = [byTarget.get(place), bodies.get(place)];
    // Without --force, the owner counts as not deleted: it stays if a record that needs it is restored.
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
    // If no import wrote the owner, its hidden child may still exist.
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
  const ownId = foldIds(splitKey(id)[1]);
  return body && childrenOf(body, children).find((child) => foldIds(childIdOf(child)) === ownId);
}

// A `PUT` deletes the alerts on every tile that it leaves out (docs/api.md#dashboards), and on every tile of a type that cannot
// have alerts (docs/api.md#tile-alerts). So put-backs are checked like the updates of an import.

/**
 * Leaves alone a put-back that would remove a tile while a record that references the tile stays (`in-use`). Any other put-back
 * waits until the last record has moved away from the tiles that it removes. The same holds for tiles that lose their alerts in
 * every update; for them, alerts that are restored after the update do not count.
 * @param inventory the target, with the records that will be restored
 * @param now the target as it is now
 */
export function guardRemovedChildren(
  items: readonly RollbackItem[],
  inventory: Inventory,
  now: Inventory,
): RollbackItem[] {
  const staying = usesThatStay(items, inventory);
  const stayingNow = usesThatStay(items, now);
  const moving = usesOf(items.filter(isPutBack).map(({ key, kind, current }) => [key, kind, current]));
  return items.map((item): RollbackItem => {
    if (!isPutBack(item)) return item;
    const { removed, losing } = childrenAtRisk(item);
    const firstOf = (uses: ReadonlyMap<string, string[]>, children: readonly string[]): string | undefined =>
      children.flatMap((child) => uses.get(child) ?? [])[0];
    const stays = firstOf(staying, removed);
    if (stays !== undefined) {
      const message = `${stays} stays and points to a part of it that the rollback would remove; --force removes it anyway`;
      return { ...item, action: "skip", code: "in-use", message };
    }
    const lost = firstOf(stayingNow, losing);
    if (lost !== undefined) {
      const message = `${lost} stays and points to a part of it that cannot have alerts, so the server would delete it; --force allows that`;
      return { ...item, action: "skip", code: "in-use", message };
    }
    return { ...item, usedBy: [...new Set([...removed, ...losing].flatMap((child) => moving.get(child) ?? []))] };
  });
}

/** Finds, for each child, the records that reference this child after all put-backs. */
function usesThatStay(items: readonly RollbackItem[], inventory: Inventory): Map<string, string[]> {
  const undone = new Map(items.map((item) => [foldedKey(item.kind, item.targetId), item]));
  return usesOf(
    recordsOf(inventory).flatMap((record): Use[] => {
      const { kind, id, body } = record;
      const item = undone.get(foldedKey(kind, id));
      return item?.action === "delete" ? [] : [[nameOfRecord(record), kind, item?.previous ?? body]];
    }),
  );
}

type Use = readonly [by: string, kind: KindName, body: JsonObject];

function usesOf<By extends string>(
  uses: readonly (readonly [by: By, kind: KindName, body: JsonObject])[],
): Map<string, By[]> {
  const found = uses.flatMap(([by, kind, body]) =>
    findReferences(knownKind(kind), body, new Map())
      .filter(({ space }) => space.includes("/"))
      .map(({ space, id }) => ({ by, child: foldedKey(space, id) })),
  );
  return new Map([...groupBy(found, ({ child }) => child)].map(([child, of]) => [child, of.map(({ by }) => by)]));
}

/** Lists the children that a put-back removes, and the children that lose their dependents in every update. */
function childrenAtRisk({ kind, targetId, previous, current }: PutBack): {
  readonly removed: readonly string[];
  readonly losing: readonly string[];
} {
  const removed: string[] = [];
  const losing: string[] = [];
  for (const children of knownKind(kind).children) {
    const keptChildren = new Map(childrenOf(previous, children).map((child) => [foldIds(childIdOf(child)), child]));
    for (const id of childrenOf(current, children).map((child) => foldIds(childIdOf(child)))) {
      const becomes = keptChildren.get(id);
      const child = foldedKey(children.space, childId(targetId, id));
      if (becomes === undefined) removed.push(child);
      else if (children.losesDependents?.(becomes) === true) losing.push(child);
    }
  }
  return { removed, losing };
}
