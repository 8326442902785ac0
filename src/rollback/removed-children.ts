import { groupBy } from "../core/collections.ts";
import { childId } from "../core/plan/id-map.ts";
import type { JsonObject } from "../core/json.ts";
import type { KindName } from "../core/records/record.ts";
import { recordKey } from "../core/records/record.ts";
import { nameOfRecord } from "../kinds/names.ts";
import { knownKind } from "../kinds/registry.ts";
import type { Inventory } from "../matching/inventory.ts";
import { childIdOf, childrenOf } from "../references/children.ts";
import { foldIds } from "../references/known-ids.ts";
import { findReferences } from "../references/references.ts";
import type { PutBack, RollbackItem } from "./item.ts";
import { isPutBack } from "./item.ts";

// A `PUT` deletes the alerts on every tile that it leaves out (docs/api.md#dashboards), and on every tile of a type that cannot
// have alerts (docs/api.md#tile-alerts). So a put-back has the same check as an update of an import.

/**
 * Leaves alone put-backs that would remove a tile while a record that references it stays (`in-use`). Other put-backs wait until
 * all records have moved away from such a tile. The same holds for a tile that loses its alerts in any update; there, records
 * that are restored afterwards do not count.
 * @param inventory the target with the records that will be restored
 * @param now the target as it is
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
      const message = `${stays} stays and points to a part of it that the rollback would remove`;
      return { ...item, action: "skip", code: "in-use", message };
    }
    const lost = firstOf(stayingNow, losing);
    if (lost !== undefined) {
      const message = `${lost} stays and points to a part of it that cannot have alerts, so the server would delete it`;
      return { ...item, action: "skip", code: "in-use", message };
    }
    return { ...item, usedBy: [...new Set([...removed, ...losing].flatMap((child) => moving.get(child) ?? []))] };
  });
}

/** Finds, for each child, the records that reference it after all put-backs. */
function usesThatStay(items: readonly RollbackItem[], inventory: Inventory): Map<string, string[]> {
  const undone = new Map(items.map((item) => [recordKey(item.kind, foldIds(item.targetId)), item]));
  const records = [...inventory.kinds.values()].flatMap((ofKind) => ofKind.records);
  return usesOf(
    records.flatMap((record): Use[] => {
      const { kind, id, body } = record;
      const item = undone.get(recordKey(kind, foldIds(id)));
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
      .map(({ space, id }) => ({ by, child: `${space} ${foldIds(id)}` })),
  );
  return new Map([...groupBy(found, ({ child }) => child)].map(([child, of]) => [child, of.map(({ by }) => by)]));
}

/** Lists the children that a put-back removes, and the children that lose their dependents in any update. */
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
      const child = `${children.space} ${foldIds(childId(targetId, id))}`;
      if (becomes === undefined) removed.push(child);
      else if (children.losesDependents?.(becomes) === true) losing.push(child);
    }
  }
  return { removed, losing };
}
