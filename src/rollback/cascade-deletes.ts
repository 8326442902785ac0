import { keyOfRecord, targetKey, type StackRecord } from "../core/records/record.ts";
import { nameOfRecord } from "../kinds/nouns.ts";
import { knownKind } from "../kinds/registry.ts";
import { recordsOf, type Inventory } from "../matching/inventory.ts";
import { foldedKey } from "../references/known-ids.ts";
import { hostReferencesOf } from "../references/references.ts";
import { childrenAtRisk } from "./guard-removed-children.ts";
import { isPutBack, type RollbackItem } from "./item.ts";

/**
 * Adds the records that the server deletes when the items are undone: the server deletes an alert with its dashboard or tile
 * (docs/api.md#dashboards). These records come last. If another item would have left such a record alone or put it back, the delete
 * replaces that item.
 * @param inventory the target as it is now
 */
export function withCascadeDeletes(items: readonly RollbackItem[], inventory: Inventory): RollbackItem[] {
  const hosts = hostsByKey(items);
  if (hosts.size === 0) return [...items];
  const undone = new Map(items.map((item) => [targetKey(item), item]));
  const deletes = recordsOf(inventory).flatMap((record): RollbackItem[] => {
    const item = undone.get(keyOfRecord(record));
    if (item?.action === "delete") return [];
    const host = hostOf({ ...record, body: item?.previous ?? record.body }, hosts);
    return host === undefined ? [] : [cascadeDelete(record, host, item)];
  });
  const replaced = new Set(deletes.map(targetKey));
  return [...items.filter((item) => !replaced.has(targetKey(item))), ...deletes];
}

/** The item whose undoing makes the server delete records. */
interface Host {
  readonly item: RollbackItem;
  /** Whether the tile that the records are on remains, so that a later rollback may create the records again. */
  readonly remains: boolean;
}

/**
 * Returns the items that make the server delete records, by the key of the deleted record or of the child that loses its
 * dependents.
 */
function hostsByKey(items: readonly RollbackItem[]): ReadonlyMap<string, Host> {
  return new Map(
    items.flatMap((item): [string, Host][] => {
      if (item.action === "delete") return [[foldedKey(item.kind, item.targetId), { item, remains: false }]];
      if (!isPutBack(item)) return [];
      const { removed, losing } = childrenAtRisk(item);
      const host = (child: string, remains: boolean): [string, Host] => [child, { item, remains }];
      return [...removed.map((child) => host(child, false)), ...losing.map((child) => host(child, true))];
    }),
  );
}

/** Finds the item whose undoing makes the server delete the record; a mere link to another record is not enough. */
function hostOf({ kind, body }: StackRecord, hosts: ReadonlyMap<string, Host>): Host | undefined {
  return hostReferencesOf(knownKind(kind), body)
    .map(({ space, id }) => hosts.get(foldedKey(space, id)))
    .find((host) => host !== undefined);
}

function cascadeDelete(
  record: StackRecord,
  { item, remains }: Host,
  replacedItem: RollbackItem | undefined,
): RollbackItem {
  const { kind, id: targetId, name, body: current } = record;
  const { key = keyOfRecord(record), sourceId = targetId } = replacedItem ?? {};
  const cause = `${nameOfRecord({ ...item, id: item.targetId })} is ${item.action === "delete" ? "deleted" : "put back"}`;
  const about = { key, kind, sourceId, targetId, name, current, cascadesFrom: item.key };
  const message = `is deleted by the server when ${cause}`;
  return remains
    ? { ...about, action: "skip", code: "cascade-loss", message: `${message}; ${NEXT_ROLLBACK_HINT}` }
    : { ...about, action: "delete", code: "cascade-delete", message: `${message}; no rollback restores it` };
}

/** A hint for a record that the server deletes. The next rollback can create the record again only if its tile still exists. */
export const NEXT_ROLLBACK_HINT = "the next rollback of the journal tries to create it again";
