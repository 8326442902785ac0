import { groupBy } from "../core/collections.ts";
import type { IdMap } from "../core/plan/id-map.ts";
import type { RecordKey, StackRecord } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import type { JournalReplay, PendingWrite, RunWrite } from "../journal/replay.ts";
import { findKind } from "../kinds/registry.ts";
import type { Inventory } from "../matching/inventory.ts";
import { foldIds } from "../references/known-ids.ts";
import { recordFingerprint } from "../references/record-content.ts";
import type { RollbackItem } from "./item.ts";
import { undoCreate, undoRecord } from "./undo-item.ts";

export interface RollbackInput {
  readonly state: JournalReplay;
  readonly inventory: Inventory;
  /** Whether to undo records even if somebody has changed them since the import. */
  readonly force: boolean;
  /** Whether to write even if the write destroys content that no answer of the target contains; default false. */
  readonly acceptHiddenLoss?: boolean;
  /** Whether to convert bodies that the API refuses into a form that the API accepts; default false. */
  readonly fitLimits?: boolean;
  /** Current time in milliseconds; by default, rules that depend on the time are ignored. */
  readonly now?: number;
  /** Numbers of the runs to undo; default: all. */
  readonly runs?: readonly number[];
}

/**
 * Lists the items for records whose writes have a known result.
 * @param ids old ids of records that earlier runs of the rollback created again, with the new ids
 */
export function journaledRecords({ state, inventory, force, runs }: RollbackInput, ids: IdMap): RollbackItem[] {
  const isChosen = ({ run }: RunWrite): boolean => runs === undefined || runs.includes(run);
  const byKind = new Map(
    [...inventory.kinds].map(([kind, { records }]) => [kind, groupBy(records, ({ id }) => foldIds(id))]),
  );
  return [...state.writes].flatMap(([key, writes]) => {
    const [name = ""] = key.split("/");
    const kind = findKind(name);
    if (!kind) return [];
    const last = foldIds(writes.at(-1)?.targetId ?? "");
    return [...groupBy(writes, ({ targetId }) => foldIds(targetId))].flatMap(([id, of]): RollbackItem[] => {
      const first = of.findIndex(isChosen);
      const [current] = byKind.get(name)?.get(id) ?? [];
      // If a record is gone and a later run created it again under another id, the former record is not reported.
      if (first < 0 || (current === undefined && id !== last)) return [];
      const later = of.slice(first).filter((write) => !isChosen(write));
      const written = { chosen: of.filter(isChosen), later: later.map(({ run }) => run) };
      return [{ ...identityOf(key, written.chosen, current), ...undoRecord(kind, written, current, { force, ids }) }];
    });
  });
}

function identityOf(
  key: RecordKey,
  chosen: readonly RunWrite[],
  current: StackRecord | undefined,
): Pick<RollbackItem, "key" | "kind" | "sourceId" | "name" | "targetId"> {
  const [kind = ""] = key.split("/");
  const last = chosen.at(-1);
  return {
    key,
    kind,
    sourceId: key.slice(kind.length + 1),
    name: current?.name || last?.name || "",
    targetId: current?.id ?? last?.targetId ?? "",
  };
}

/**
 * Lists the items for records that were made by creates without a known result. The records are recognised by their content. If
 * more records have the content than there were such creates, all of them are left alone.
 */
export function lostCreates({ state, inventory, runs }: RollbackInput): RollbackItem[] {
  const isChosen = (key: RecordKey): boolean => runs === undefined || runs.includes(state.creating.get(key) ?? 0);
  const pendingCreates = state.pendingWrites.filter(({ key, write }) => write === "create" && isChosen(key));
  const knownIds = new Set([...state.writes.values()].flat().map(({ targetId }) => foldIds(targetId)));
  return [...groupBy(pendingCreates, ({ key, content }) => `${key.split("/")[0]} ${content}`).values()].flatMap(
    (lost) => {
      const [first] = lost;
      const kind = first && findKind(first.key.split("/")[0] ?? "");
      if (!first || !kind) return [];
      const records = inventory.kinds.get(kind.name)?.records ?? [];
      const alike = records.filter(
        ({ id, body }) => !knownIds.has(foldIds(id)) && recordFingerprint(kind, body) === first.content,
      );
      const tooMany = alike.length > lost.length;
      return alike.map((record, index): RollbackItem => lostItem(kind, record, lost[index] ?? first, tooMany));
    },
  );
}

function lostItem(
  kind: ResourceKind,
  record: StackRecord,
  { key, since }: PendingWrite,
  tooMany: boolean,
): RollbackItem {
  const sourceId = key.slice(kind.name.length + 1);
  const item = { key, kind: kind.name, sourceId, name: record.name, targetId: record.id };
  if (!tooMany) return { ...item, ...undoCreate(since, record) };
  const message = `was perhaps created by the import, but the target has several ${kind.name} with this content; delete the right one by hand`;
  return { ...item, action: "skip", code: "ambiguous", message };
}
