import { groupBy } from "../core/collections.ts";
import type { RecordKey, StackRecord } from "../core/record.ts";
import { recordKey } from "../core/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import type { JournalState, VanishedRecord } from "../journal/state.ts";
import { findKind } from "../kinds/registry.ts";
import type { Inventory } from "../matching/inventory.ts";
import { findPlaceholders } from "../redaction/placeholders.ts";
import { foldIds } from "../references/known-ids.ts";
import { recordFingerprint } from "../references/record-content.ts";
import type { RollbackItem } from "./item.ts";
import type { RollbackInput } from "./written-records.ts";

/** A record that the server took away during the import, or may have, as it was before the import. */
interface Lost extends VanishedRecord {
  readonly kind: ResourceKind;
  readonly id: string;
}

/** What is done about records that the server took away, and the records of the target that are in their place by now. */
export interface BringBack {
  readonly items: readonly RollbackItem[];
  readonly inPlace: ReadonlySet<RecordKey>;
}

/**
 * Plans to create again what the server took away during the import (`vanished`). What is there again, under whatever id, is left
 * alone; what the import itself had created is not brought back.
 * @param deleted records of the target that this rollback would delete; others are preferred as what is there again
 */
export function planBringBack({ state, inventory, runs }: RollbackInput, deleted: ReadonlySet<RecordKey>): BringBack {
  const open = new Map<string, StackRecord[]>();
  const inPlace = new Set<RecordKey>();
  const keyOf = ({ kind, id }: StackRecord): RecordKey => recordKey(kind, id);
  const chosen = lostRecords(state).filter(({ run }) => run === undefined || runs === undefined || runs.includes(run));
  const items = chosen.flatMap((lost): RollbackItem[] => {
    const { key, kind, id, name, body } = lost;
    const item = { key, kind: kind.name, sourceId: id, targetId: id, name };
    const records = inventory.kinds.get(kind.name)?.records ?? [];
    const alike = groupBy(records, (record) => `${kind.name} ${recordFingerprint(kind, record.body)}`);
    const content = `${kind.name} ${recordFingerprint(kind, body)}`;
    const isDeleted = (record: StackRecord): number => Number(deleted.has(keyOf(record)));
    const equal = open.get(content) ?? (alike.get(content) ?? []).toSorted((a, b) => isDeleted(a) - isDeleted(b));
    open.set(content, equal);
    const there = records.find((record) => foldIds(record.id) === foldIds(id)) ?? equal.shift();
    if (there !== undefined) {
      if (!lost.proven && foldIds(there.id) === foldIds(id)) return [];
      inPlace.add(keyOf(there));
      return [{ ...item, action: "skip", code: "put-back", message: "is on the target again" }];
    }
    if (findPlaceholders(body).length > 0) {
      const message = "held a secret, which the journal does not keep; create it again by hand";
      return [{ ...item, action: "skip", code: "redacted", message }];
    }
    return [{ ...item, action: "create", previous: body }];
  });
  return { items, inPlace };
}

/** The target with what will be brought back: it keeps what it points to. */
export function withLost(inventory: Inventory, items: readonly RollbackItem[]): Inventory {
  const back = items.flatMap(({ kind, targetId, name, action, previous }): StackRecord[] =>
    action === "create" && previous !== undefined ? [{ kind, id: targetId, name, body: previous }] : [],
  );
  if (back.length === 0) return inventory;
  const kinds = [...inventory.kinds].map(
    ([kind, { status, records }]) =>
      [kind, { status, records: [...records, ...back.filter((record) => record.kind === kind)] }] as const,
  );
  return { ...inventory, kinds: new Map(kinds) };
}

function lostRecords(state: JournalState): Lost[] {
  const written = new Map(
    [...state.records].map(([key, record]) => [`${kindOf(key)} ${foldIds(record.targetId)}`, record]),
  );
  return state.vanished.flatMap((vanished): Lost[] => {
    const kind = findKind(kindOf(vanished.key));
    if (kind === undefined) return [];
    const id = vanished.key.slice(kind.name.length + 1);
    const own = written.get(`${kind.name} ${foldIds(id)}`);
    if (own?.created === true) return [];
    return [{ ...vanished, kind, id, body: own?.previous ?? vanished.body }];
  });
}

function kindOf(key: RecordKey): string {
  return key.slice(0, key.indexOf("/"));
}
