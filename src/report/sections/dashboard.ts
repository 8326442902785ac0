import type { StackRecord } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import { drawPanel } from "../drawing/panel.ts";
import { drawThumbnail } from "../drawing/thumbnail.ts";
import { typeWords } from "../drawing/tile.ts";
import { COLUMN } from "../drawing/units.ts";
import type { Html, Part } from "../html.ts";
import { html, lines } from "../html.ts";
import type { DashboardModel, Panel } from "../model/dashboard.ts";
import { readDashboard } from "../model/dashboard.ts";
import type { StackModel } from "../model/stack.ts";
import type { TileMark, TileModel } from "../model/tile.ts";
import { counted, facts, joined, linkTo, nameIn, nameOr, table } from "../page/parts.ts";
import type { OwnParts } from "../page/record-item.ts";

/** A dashboard: its grids drawn, its filters, its alerts, and every tile in words. */
export function dashboardParts(record: StackRecord, model: StackModel): OwnParts {
  const dashboard = model.dashboard(record.id) ?? readDashboard(record);
  const alerts = model.alertsOn(record.id);
  const sources = model.needs(recordKey("dashboards", record.id)).filter(({ space }) => space === "sources");
  const counts = [
    counted(dashboard.tiles.length, "tile"),
    ...(alerts.length > 0 ? [counted(alerts.length, "alert")] : []),
  ];
  return {
    thumbnail: drawThumbnail(dashboard),
    about: html`${counts.join(", ")} ${dashboard.tags.map((tag) => html`<span class="tag">${tag}</span>`)}`,
    find: [
      ...dashboard.tags,
      ...dashboard.tiles.map(({ name }) => name),
      ...sources.map(({ id }) => nameIn(model, "sources", id)),
      ...alerts.map(({ name }) => name),
    ],
    content: [
      drawDashboard(dashboard, model),
      dashboard.tiles.some(({ moved }) => moved) &&
        html`<p class="soft">Some tiles lie outside the grid of 24 columns and are drawn at its edge.</p>`,
      aboutDashboard(dashboard, model),
      tilesInWords(dashboard, model),
    ],
  };
}

function aboutDashboard(dashboard: DashboardModel, model: StackModel): Html {
  const { id, filters, savedQuery } = dashboard;
  const key = recordKey("dashboards", id);
  const links = model.needs(key).filter(({ space }) => space === "dashboards");
  const from = model.neededBy(key).filter(({ kind, id: other }) => kind === "dashboards" && other !== id);
  const alerts = model.alertsOn(id);
  return facts([
    [
      "Filters",
      filters.length > 0 &&
        filters.map(
          ({ name, expression, sourceId, appliesTo }, index) =>
            html`${index > 0 && "; "}${name} (<code>${expression}</code>) from
            ${linkTo(model, "sources", sourceId)}${
              appliesTo.length > 0 && html`, for ${joined(appliesTo.map((source) => linkTo(model, "sources", source)))}`
            }`,
        ),
    ],
    ["Saved query", savedQuery !== "" && html`<code>${savedQuery}</code>`],
    ["Alerts", alerts.length > 0 && joined(alerts.map((alert) => linkTo(model, "alerts", alert.id)))],
    ["Links to", links.length > 0 && joined(links.map((link) => linkTo(model, "dashboards", link.id)))],
    ["Linked from", from.length > 0 && joined(from.map((other) => linkTo(model, "dashboards", other.id)))],
    ["Id", html`<code>${id}</code>`],
  ]);
}

function tilesInWords({ id, name, tiles }: DashboardModel, model: StackModel): Part {
  if (tiles.length === 0) return undefined;
  const rows = tiles.map((tile): Part[] => {
    const alerts = model.alertsOn(id, tile.id);
    return [
      nameOr(tile.name, tile.id),
      typeWords(tile.type, tile.sql),
      sourceOf(tile, model),
      html`<pre class="text code">${lines(tile.query)}</pre>`,
      joined(alerts.map((alert) => linkTo(model, "alerts", alert.id))),
    ];
  });
  const caption = `Tiles of ${nameOr(name, id)} in words`;
  return html`<details>
    <summary>${counted(tiles.length, "tile")} in words</summary>
    ${table(caption, ["Tile", "Type", "Source", "Shows", "Alerts"], rows)}
  </details>`;
}

function sourceOf({ sourceId, connectionId }: TileModel, model: StackModel): Part {
  if (sourceId !== "") return nameIn(model, "sources", sourceId);
  return connectionId !== "" && html`connection <code>${connectionId}</code>`;
}

/** How a dashboard is drawn in a comparison. */
export interface ComparedDrawing {
  readonly markOf?: (tile: TileModel) => TileMark | undefined;
  readonly column?: number;
}

/** The grids of a dashboard, each container and tab with its title. */
export function drawDashboard(
  dashboard: DashboardModel,
  model: StackModel,
  { markOf = () => undefined, column = COLUMN }: ComparedDrawing = {},
): Html[] {
  const detailsOf = (tile: TileModel) => {
    const mark = markOf(tile);
    return {
      source: tile.sourceId === "" ? "" : nameIn(model, "sources", tile.sourceId),
      alerts: model.alertsOn(dashboard.id, tile.id).map(({ name, id }) => nameOr(name, id)),
      ...(mark !== undefined && { mark }),
    };
  };
  return dashboard.panels.map((panel) => {
    const title = titleOf(panel);
    const name = nameOr(dashboard.name, dashboard.id);
    const label = `Drawing of ${name}${title === "" ? "" : `, ${title}`}: ${counted(panel.tiles.length, "tile")}`;
    return html`${title !== "" && html`<h3>${title}${panel.collapsed && html` <span class="count">closed at first</span>`}</h3>`}${drawPanel(panel, { label, detailsOf, column })}`;
  });
}

function titleOf({ title, tab }: Panel): string {
  return tab === "" ? title : `${title} › ${tab}`;
}
