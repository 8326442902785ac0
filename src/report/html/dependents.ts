import { recordKey, type StackRecord, type KindName } from "../../core/records/record.ts";
import type { AlertModel } from "../model/alert.ts";
import type { DashboardModel, TileModel } from "../model/dashboard.ts";
import { numberText } from "../model/query.ts";
import { readSource, type StackModel } from "../model/stack.ts";
import { html, type Html } from "./html.ts";
import {
  countText,
  disclosure,
  factList,
  isShortTable,
  joinHtml,
  linkTo,
  linksTo,
  nameOrId,
  htmlTable,
} from "./parts.ts";

/** Describes how many records use a record: `used by 4 dashboards, 7 alerts`, or `not used`. */
export function dependentsText(dependents: Dependents): string {
  const counts = dependentCounts(dependents);
  return counts.length === 0 ? "not used" : `used by ${counts.join(", ")}`;
}

/** Lists by name what stops working without a record: the answer to "may I delete this?". */
export function dependentsList(dependents: Dependents, model: StackModel): Html {
  const counts = dependentCounts(dependents);
  if (counts.length === 0) return html`<p class="soft">Nothing here uses it, so deleting it breaks nothing.</p>`;
  const { sources, savedSearches, dashboards, alerts, linkedFrom } = dependents;
  const blanks = dashboards.map(
    ({ dashboard, tiles }) => html`${linkTo(model, "dashboards", dashboard.id)} (${tilesText(tiles)})`,
  );
  const list = factList([
    ["Sources", linksTo(model, "sources", sources)],
    ["Saved searches", linksTo(model, "saved-searches", savedSearches)],
    ["Dashboards", joinHtml(blanks)],
    ["Alerts", linksTo(model, "alerts", alerts)],
    ["Links of sources", linksTo(model, "sources", linkedFrom)],
  ]);
  const broken = [...dashboards, ...alerts];
  const summary = `What breaks without it: ${counts.join(", ")}`;
  return disclosure(summary, list, broken.length > MAX_PRINTED ? "breaks many" : "breaks", isShortTable(broken));
}

/** Maximum number of users of a source that a printed page names: twelve long lists would fill sixty pages. */
const MAX_PRINTED = 100;

/** Maximum number of tiles that are listed by name; if there are more, they are only counted. */
const FEW_TILES = 4;

function tilesText(tiles: readonly TileModel[]): string {
  if (tiles.length === 0) return "a filter";
  return tiles.length > FEW_TILES
    ? countText(tiles.length, "tile")
    : tiles.map(({ name, id }) => nameOrId(name, id)).join(", ");
}

/** Renders all sources in one table: what each one references, and how much depends on it. */
export function dependentsTable(model: StackModel): Html | false {
  const records = model.records.filter(({ kind }) => kind === "sources");
  if (records.length < 2) return false;
  const rows = records.map((record) => {
    const { dashboards, alerts } = findDependents(record, model);
    const tiles = dashboards.flatMap((dashboard) => dashboard.tiles);
    const counts = [dashboards, tiles, alerts].map(({ length }) => (length === 0 ? "–" : numberText(length)));
    const links = readSource(record).refersTo.map(({ as, id }) => html`${as}: ${linkTo(model, "sources", id)}`);
    return [linkTo(model, "sources", record.id), joinHtml(links), ...counts];
  });
  const title = "What depends on each";
  return disclosure(title, htmlTable(title, ["Source", "Refers to", "Dashboards", "Tiles", "Alerts"], rows), "roomy");
}

function dependentCounts({ sources, savedSearches, dashboards, alerts, linkedFrom }: Dependents): string[] {
  const counts = [
    [sources.length, "source"],
    [savedSearches.length, "saved search"],
    [dashboards.length, "dashboard"],
    [alerts.length, "alert"],
    [linkedFrom.length, "link of a source"],
  ] as const;
  return counts.flatMap(([count, noun]) => (count === 0 ? [] : [countText(count, noun)]));
}

/**
 * The records that stop working when a record is deleted. A dashboard or source that only links to the deleted record still works,
 * but the link is lost.
 */
export interface Dependents {
  readonly sources: readonly StackRecord[];
  readonly savedSearches: readonly StackRecord[];
  /** Each dashboard with its tiles that go blank; without tiles if only a filter loses its values. */
  readonly dashboards: readonly { readonly dashboard: DashboardModel; readonly tiles: readonly TileModel[] }[];
  readonly alerts: readonly AlertModel[];
  /** Sources that link to the deleted source: they still work, but lose the link to its data. */
  readonly linkedFrom: readonly StackRecord[];
}

/** Finds the records that stop working when a source, or a connection with all of its sources, is deleted. */
export function findDependents({ kind, id }: StackRecord, model: StackModel): Dependents {
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

function usersOf(model: StackModel, kind: KindName, id: string, user: KindName): StackRecord[] {
  return model.neededBy(recordKey(kind, id)).filter((record) => record.kind === user);
}

function distinct(records: readonly StackRecord[]): StackRecord[] {
  return [...new Map(records.map((record) => [record.id, record])).values()];
}
