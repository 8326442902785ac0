import { recordKey, type StackRecord } from "../../core/records/record.ts";
import { COLUMN_WIDTH, drawTile, ROW_HEIGHT, type TileDetails } from "./tile-drawing.ts";
import { tileTypeName } from "./tile-symbols.ts";
import { html, type Html, type HtmlPart } from "./html.ts";
import { readDashboard, type DashboardModel, type Panel, type TileMark, type TileModel } from "../model/dashboard.ts";
import type { StackModel } from "../model/stack.ts";
import {
  preformatted,
  codeText,
  countText,
  disclosure,
  factList,
  joinHtml,
  linkTo,
  linksTo,
  recordNameOrId,
  nameOrId,
  htmlTable,
  type RecordContent,
} from "./parts.ts";

/** Describes a dashboard: its grids as drawings, its filters, its alerts, and every tile in words. */
export function dashboardContent(record: StackRecord, model: StackModel): RecordContent {
  const dashboard = model.dashboard(record.id) ?? readDashboard(record);
  const alerts = model.alertsOn(record.id);
  const sources = model.needs(recordKey("dashboards", record.id)).filter(({ space }) => space === "sources");
  const counts = [
    countText(dashboard.tiles.length, "tile"),
    ...(alerts.length > 0 ? [countText(alerts.length, "alert")] : []),
  ];
  return {
    thumbnail: drawThumbnail(dashboard),
    about: html`${counts.join(", ")} ${dashboard.tags.map((tag) => html`<span class="tag">${tag}</span>`)}`,
    searchTexts: [
      ...dashboard.tags,
      ...dashboard.tiles.map(({ name }) => name),
      ...sources.map(({ id }) => recordNameOrId(model, "sources", id)),
      ...alerts.map(({ name }) => name),
    ],
    content: [
      drawDashboard(dashboard, model),
      dashboard.tiles.some(({ isOutsideGrid }) => isOutsideGrid) &&
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
  return factList([
    [
      "Filters",
      filters.length > 0 &&
        filters.map(
          ({ name, expression, sourceId, appliesTo }, index) =>
            html`${index > 0 && "; "}${name} (<code>${expression}</code>) from
            ${linkTo(model, "sources", sourceId)}${
              appliesTo.length > 0 &&
              html`, for ${joinHtml(appliesTo.map((source) => linkTo(model, "sources", source)))}`
            }`,
        ),
    ],
    ["Saved query", codeText(savedQuery)],
    ["Alerts", linksTo(model, "alerts", alerts)],
    ["Links to", linksTo(model, "dashboards", links)],
    ["Linked from", linksTo(model, "dashboards", from)],
    ["Id", codeText(id)],
  ]);
}

function tilesInWords({ id, name, tiles }: DashboardModel, model: StackModel): HtmlPart {
  if (tiles.length === 0) return undefined;
  const rows = tiles.map((tile): HtmlPart[] => {
    const alerts = model.alertsOn(id, tile.id);
    return [
      nameOrId(tile.name, tile.id),
      tileTypeName(tile.type, tile.isSql),
      sourceOf(tile, model),
      preformatted(tile.query, "text code"),
      linksTo(model, "alerts", alerts),
    ];
  });
  const caption = `Tiles of ${nameOrId(name, id)} in words`;
  const content = htmlTable(caption, ["Tile", "Type", "Source", "Shows", "Alerts"], rows);
  return disclosure(`${countText(tiles.length, "tile")} in words`, content);
}

function sourceOf({ sourceId, connectionId }: TileModel, model: StackModel): HtmlPart {
  if (sourceId !== "") return recordNameOrId(model, "sources", sourceId);
  return connectionId !== "" && html`connection <code>${connectionId}</code>`;
}

/** Options for drawing a dashboard in a comparison: the mark of a tile that differs, and the width of a column. */
export interface ComparedDrawing {
  readonly markOf?: (tile: TileModel) => TileMark | undefined;
  readonly column?: number;
}

/** Draws the grids of a dashboard, each container and tab with its title. */
export function drawDashboard(
  dashboard: DashboardModel,
  model: StackModel,
  { markOf, column }: ComparedDrawing = {},
): Html[] {
  const detailsOf = (tile: TileModel) => ({
    source: tile.sourceId === "" ? "" : recordNameOrId(model, "sources", tile.sourceId),
    alerts: model.alertsOn(dashboard.id, tile.id).map(({ name, id }) => nameOrId(name, id)),
    mark: markOf?.(tile),
  });
  return dashboard.panels.map((panel) => {
    const title = titleOf(panel);
    const name = nameOrId(dashboard.name, dashboard.id);
    const label = `Drawing of ${name}${title === "" ? "" : `, ${title}`}: ${countText(panel.tiles.length, "tile")}`;
    return html`${title !== "" && html`<h3>${title}${panel.collapsed && html` <span class="count">closed at first</span>`}</h3>`}${drawGrid(panel, { label, detailsOf, column })}`;
  });
}

function titleOf({ title, tab }: Panel): string {
  return tab === "" ? title : `${title} › ${tab}`;
}

/**
 * Sizes in a thumbnail, in its own units: the width of a column, the height of a row (high enough to show the layout of the
 * dashboard), and the gap between two tiles.
 */
const SMALL_COLUMN = 10;
const SMALL_ROW = 12;
const GAP = 7;
/** Maximum number of rows in a thumbnail; the rows below are cut off. */
const ROWS = 11;

/**
 * Draws the layout of a dashboard in the size of a word, as a single path, because a page may have a thousand of these drawings.
 */
export function drawThumbnail({ panels }: DashboardModel): Html | false {
  let top = 0;
  let path = "";
  for (const { tiles } of panels) {
    const first = tiles.reduce((least, { y }) => Math.min(least, y), Number.POSITIVE_INFINITY);
    let end = top;
    for (const { x, y, w, h } of tiles) {
      const row = top + y - first;
      end = Math.max(end, row + h);
      if (row < ROWS) path += box(x * SMALL_COLUMN, row * SMALL_ROW, w * SMALL_COLUMN - GAP, h * SMALL_ROW - GAP);
    }
    top = end;
  }
  return (
    path !== "" &&
    html`<svg class="mini" viewBox="-3 -3 ${24 * SMALL_COLUMN} ${Math.min(top, ROWS) * SMALL_ROW}" aria-hidden="true">
      <path d="${path}" />
    </svg>`
  );
}

function box(x: number, y: number, width: number, height: number): string {
  const [left, top, across, down] = [x, y, Math.max(width, 2), Math.max(height, 2)].map(Math.round);
  return `M${left} ${top}h${across}v${down}h-${across}z`;
}

/** The details of a grid's drawing that are not in its tiles. */
export interface PanelDetails {
  /** Description of the drawing for screen readers. */
  readonly label: string;
  readonly detailsOf: (tile: TileModel) => Omit<TileDetails, "number">;
  /** Width of a grid column, in units of the drawing. */
  readonly column?: number;
}

/** Draws a grid with the tiles in their true positions: 24 columns, as many rows as the grid has. */
export function drawGrid({ tiles }: Panel, { label, detailsOf, column = COLUMN_WIDTH }: PanelDetails): Html {
  if (tiles.length === 0) return html`<p class="none">No tiles.</p>`;
  const rows = tiles.reduce((most, { y, h }) => Math.max(most, y + h), 1);
  // The tiles of a grid may begin far down, for instance in a container. The drawing omits the empty rows above them.
  const from = tiles.reduce((least, { y }) => Math.min(least, y), rows);
  const height = (rows - from) * ROW_HEIGHT;
  return html`<div class="grid">
    <svg viewBox="0 0 ${24 * column} ${height}" role="img" aria-label="${label}">
      ${tiles.map((tile, index) => drawTile(tile, from, column, { ...detailsOf(tile), number: index + 1 }))}
    </svg>
    <ol class="legend">
      ${tiles.map((tile) => legendOf(tile, detailsOf(tile).mark))}
    </ol>
  </div>`;
}

/** Renders the legend entry for a tile's number. Drawings that are too small for names show only the numbers. */
function legendOf({ name, type, isSql }: TileModel, mark: TileMark | undefined): Html {
  const about = html`<span class="soft">${tileTypeName(type, isSql)}</span>`;
  return html`<li>${name === "" ? "(no title)" : name} ${about}${mark !== undefined && html` <b>${mark}</b>`}</li>`;
}
