import { byCodeUnit, getOrMake, groupBy } from "../../core/collections.ts";
import { placesAt } from "../../core/records/member-path.ts";
import { keyOfRecord, recordKey, type KindName, type RecordKey, type StackRecord } from "../../core/records/record.ts";
import type { IdSpace, ReferencePath } from "../../core/resource-kind.ts";
import { findKind } from "../../kinds/registry.ts";
import { displayNameOf } from "../../kinds/nouns.ts";
import { isDeclaredAt } from "../../kinds/descriptor-parts.ts";
import { readTiles, type TileModel } from "./dashboard.ts";
import { textAt } from "./query.ts";

export interface StackModel {
  readonly records: readonly StackRecord[];
  find(kind: KindName, id: string): StackRecord | undefined;
  tilesOf(dashboardId: string): readonly TileModel[];
  alertsOn(dashboardId: string): readonly StackRecord[];
  needs(key: RecordKey): readonly NeededRecord[];
  neededBy(key: RecordKey): readonly StackRecord[];
}

export function readStackModel(records: readonly StackRecord[]): StackModel {
  const recordsByKey = new Map(records.map((record) => [keyOfRecord(record), record]));
  const namedRecords = records.map((record) =>
    record.name === ""
      ? { ...record, name: displayNameOf(record, (kind, id) => recordsByKey.get(recordKey(kind, id))) }
      : record,
  );
  const sorted = namedRecords.sort((a, b) => byCodeUnit(a.name, b.name) || byCodeUnit(a.id, b.id));
  const byKey = new Map(sorted.map((record) => [keyOfRecord(record), record]));
  const recordsOfKind = (kind: KindName): StackRecord[] => sorted.filter((record) => record.kind === kind);
  const tiles = new Map(recordsOfKind("dashboards").map((dashboard) => [dashboard.id, readTiles(dashboard)]));
  const onDashboard = groupBy(recordsOfKind("alerts"), ({ body }) => textAt(body, "dashboardId"));
  const needs = new Map(sorted.map((record) => [keyOfRecord(record), needsOf(record)]));
  const users = new Map<RecordKey, StackRecord[]>();
  for (const record of sorted) {
    for (const { space, id } of needs.get(keyOfRecord(record)) ?? []) {
      getOrMake(users, recordKey(space, id), (): StackRecord[] => []).push(record);
    }
  }
  return {
    records: sorted,
    find: (kind, id) => byKey.get(recordKey(kind, id)),
    tilesOf: (dashboardId) => tiles.get(dashboardId) ?? [],
    alertsOn: (dashboardId) => onDashboard.get(dashboardId) ?? [],
    needs: (key) => needs.get(key) ?? [],
    neededBy: (key) => users.get(key) ?? [],
  };
}

/** The target of a reference; the archive may lack the record. */
export interface NeededRecord {
  readonly space: IdSpace;
  readonly id: string;
}

/** References to tiles are left out, because the record also references the tile's dashboard. */
function needsOf({ kind, body }: StackRecord): readonly NeededRecord[] {
  const needs = new Map<string, NeededRecord>();
  for (const path of findKind(kind)?.references ?? []) {
    if (path.within !== undefined) continue;
    for (const id of idsAt(path, body)) needs.set(`${path.to} ${id}`, { space: path.to, id });
  }
  return [...needs.values()];
}

function idsAt(path: ReferencePath, body: StackRecord["body"]): string[] {
  return placesAt(body, path.path).flatMap(({ value, indices }) => {
    if (typeof value !== "string" || value === "") return [];
    return isDeclaredAt(path, body, indices) ? [value] : [];
  });
}
