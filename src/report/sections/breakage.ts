import type { StackRecord } from "../../core/records/record.ts";
import type { Html } from "../html.ts";
import { html } from "../html.ts";
import type { Breakage } from "../model/breakage.ts";
import { breakageOf, isUnused } from "../model/breakage.ts";
import { numberText } from "../model/query.ts";
import { readSource } from "../model/source.ts";
import type { TileModel } from "../model/tile.ts";
import type { StackModel } from "../model/stack.ts";
import { roomy } from "../page/record-item.ts";
import { countText, facts, isShort, joinHtml, linkTo, nameOr, table } from "../page/parts.ts";

/** `used by 4 dashboards, 7 alerts`; `not used`. */
export function breakageText(breakage: Breakage): string {
  return isUnused(breakage) ? "not used" : `used by ${countsOf(breakage).join(", ")}`;
}

/** Lists by name what stops working without a record: the answer to "may I delete this?". */
export function breakageList(breakage: Breakage, model: StackModel): Html {
  if (isUnused(breakage)) return html`<p class="soft">Nothing here uses it: it can go without a loss.</p>`;
  const { sources, savedSearches, dashboards, alerts, linkedFrom } = breakage;
  const list = facts([
    ["Sources", sources.length > 0 && joinHtml(sources.map(({ id }) => linkTo(model, "sources", id)))],
    [
      "Saved searches",
      savedSearches.length > 0 && joinHtml(savedSearches.map(({ id }) => linkTo(model, "saved-searches", id))),
    ],
    [
      "Dashboards",
      dashboards.length > 0 &&
        joinHtml(
          dashboards.map(
            ({ dashboard, tiles }) => html`${linkTo(model, "dashboards", dashboard.id)} (${tilesText(tiles)})`,
          ),
        ),
    ],
    ["Alerts", alerts.length > 0 && joinHtml(alerts.map(({ id }) => linkTo(model, "alerts", id)))],
    ["Links of sources", linkedFrom.length > 0 && joinHtml(linkedFrom.map(({ id }) => linkTo(model, "sources", id)))],
  ]);
  const broken = [...dashboards, ...alerts];
  return html`<details class="breaks${broken.length > MAX_PRINTED && " many"}" ${isShort(broken) && "open"}>
    <summary>What breaks if it goes: ${countsOf(breakage).join(", ")}</summary>
    ${list}
  </details>`;
}

/**
 * Maximum number of users that are printed by name; more are only counted. Twelve sources that a thousand dashboards use would fill
 * sixty pages.
 */
const MAX_PRINTED = 100;

/** Tiles listed by name; the others are only counted. */
const FEW_TILES = 4;

function tilesText(tiles: readonly TileModel[]): string {
  if (tiles.length === 0) return "a filter";
  return tiles.length > FEW_TILES
    ? countText(tiles.length, "tile")
    : tiles.map(({ name, id }) => nameOr(name, id)).join(", ");
}

/** All sources in one table: what each references, and how much depends on it. */
export function sourceTable(model: StackModel): Html | false {
  const records = model.records.filter(({ kind }) => kind === "sources");
  if (records.length < 2) return false;
  const rows = records.map((record) => [
    linkTo(model, "sources", record.id),
    joinHtml(readSource(record).refersTo.map(({ as, id }) => html`${as}: ${linkTo(model, "sources", id)}`)),
    ...numbersOf(record, model),
  ]);
  const title = "What depends on each";
  return roomy(title, table(title, ["Source", "Refers to", "Dashboards", "Tiles", "Alerts"], rows));
}

function numbersOf(record: StackRecord, model: StackModel): string[] {
  const { dashboards, alerts } = breakageOf(record, model);
  const tiles = dashboards.reduce((sum, dashboard) => sum + dashboard.tiles.length, 0);
  return [dashboards.length, tiles, alerts.length].map((count) => (count === 0 ? "–" : numberText(count)));
}

function countsOf({ sources, savedSearches, dashboards, alerts, linkedFrom }: Breakage): string[] {
  const counts = [
    [sources.length, "source"],
    [savedSearches.length, "saved search"],
    [dashboards.length, "dashboard"],
    [alerts.length, "alert"],
    [linkedFrom.length, "link of a source"],
  ] as const;
  return counts.flatMap(([count, noun]) => (count === 0 ? [] : [countText(count, noun)]));
}
