import type { KindName, StackRecord } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import type { AlertModel } from "./alert.ts";
import type { DashboardModel } from "./dashboard.ts";
import type { StackModel } from "./stack.ts";
import type { TileModel } from "./tile.ts";

/**
 * The records that stop working when a record is deleted. A dashboard or source that only links to the deleted record still works,
 * but the link is lost.
 */
export interface Breakage {
  readonly sources: readonly StackRecord[];
  readonly savedSearches: readonly StackRecord[];
  /** Each dashboard with its tiles that go blank; without tiles if only a filter loses its values. */
  readonly dashboards: readonly { readonly dashboard: DashboardModel; readonly tiles: readonly TileModel[] }[];
  readonly alerts: readonly AlertModel[];
  /** Sources that link to the deleted source: they still work, but lose the link to its data. */
  readonly linkedFrom: readonly StackRecord[];
}

/** Finds the records that stop working when a source, or a connection with all of its sources, is deleted. */
export function breakageOf({ kind, id }: StackRecord, model: StackModel): Breakage {
  const sources = kind === "sources" ? [] : usersOf(model, kind, id, "sources");
  const deletedSources = new Set(kind === "sources" ? [id] : sources.map((source) => source.id));
  const readers = (user: KindName): StackRecord[] =>
    distinct([
      ...[...deletedSources].flatMap((source) => usersOf(model, "sources", source, user)),
      ...usersOf(model, kind, id, user),
    ]);
  const savedSearches = readers("saved-searches");
  const dashboards = readers("dashboards").flatMap((record) => {
    const dashboard = model.dashboard(record.id);
    if (dashboard === undefined) return [];
    const isBlank = ({ sourceId, connectionId }: TileModel): boolean =>
      deletedSources.has(sourceId) || (kind === "connections" && connectionId === id);
    return [{ dashboard, tiles: dashboard.tiles.filter(isBlank) }];
  });
  const blank = new Set(
    dashboards.flatMap(({ dashboard, tiles }) => tiles.map((tile) => `${dashboard.id}/${tile.id}`)),
  );
  const unfound = new Set(savedSearches.map((search) => search.id));
  const alerts = model.alerts.filter(
    ({ dashboardId, tileId, savedSearchId }) => blank.has(`${dashboardId}/${tileId}`) || unfound.has(savedSearchId),
  );
  const linkedFrom = kind === "sources" ? usersOf(model, kind, id, "sources").filter((user) => user.id !== id) : [];
  return { sources, savedSearches, dashboards, alerts, linkedFrom };
}

/** Tells whether the record can be deleted without stopping anything from working and without losing a link. */
export function isUnused({ sources, savedSearches, dashboards, alerts, linkedFrom }: Breakage): boolean {
  return [sources, savedSearches, dashboards, alerts, linkedFrom].every(({ length }) => length === 0);
}

function usersOf(model: StackModel, kind: KindName, id: string, user: KindName): StackRecord[] {
  return model.neededBy(recordKey(kind, id)).filter((record) => record.kind === user);
}

function distinct(records: readonly StackRecord[]): StackRecord[] {
  return [...new Map(records.map((record) => [record.id, record])).values()];
}
