import { addressOf } from "../../../config/stacks/stack-address.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { StackferryError } from "../../../core/errors.ts";
import type { StackRecord } from "../../../core/records/record.ts";
import { closestName } from "../../../core/text/similarity.ts";
import { inKindOrder, findKind, kinds } from "../../../kinds/registry.ts";
import { pluralOf, nounOf } from "../../../kinds/nouns.ts";
import type { StackModel } from "../../../report/model/stack.ts";
import { readStack } from "../../../report/model/stack.ts";
import { countText } from "../../../report/html/parts.ts";
import { conditionOf } from "../../../report/html/records.ts";
import { code, plain } from "../markdown.ts";
import type { OutputOptions } from "../terminal.ts";
import stringWidth from "string-width";
import { recordKey } from "../../../core/records/record.ts";
import { printable } from "../../../core/text/printable.ts";
import { typeWords } from "../../../report/html/tile-drawing.ts";
import type { DashboardModel, Panel } from "../../../report/model/dashboard.ts";
import { fitText, graphemes } from "../../../core/text/fit-width.ts";

/**
 * A name or id that the user gave, and the ids of the dashboards that have it. The names in the records cannot be searched, because
 * they may be redacted.
 */
interface NamedDashboards {
  readonly name: string;
  readonly ids: ReadonlySet<string>;
}

/**
 * Renders the records of an archive: the dashboard of the given name or id, a tree of all records, or else Markdown for a pull
 * request.
 * @throws StackferryError `usage` if there is no such dashboard
 */
export function contentText(
  { dashboard, tree }: { readonly dashboard?: NamedDashboards; readonly tree: boolean },
  manifest: Manifest,
  records: readonly StackRecord[],
): (display: OutputOptions) => string {
  const model = readStack(records);
  if (tree) return (display) => treeText(model, display);
  if (dashboard === undefined) return () => markdownText(manifest, model);
  const matches = model.dashboards.filter(({ id }) => dashboard.ids.has(id));
  if (matches.length === 0) throw unknownDashboard(dashboard.name, model);
  return (display) => matches.map((match) => dashboardText(match, model, display)).join("\n");
}

function unknownDashboard(requestedName: string, { dashboards }: StackModel): StackferryError {
  const suggestion = closestName(
    requestedName,
    dashboards.map(({ name }) => name),
  );
  const hint = suggestion === undefined ? "stackferry inspect ARCHIVE lists them" : `did you mean "${suggestion}"?`;
  return new StackferryError("usage", `the archive holds no dashboard "${requestedName}"`, { hint });
}

/** Maximum number of entries in a list, so that the rest of a pull request stays visible. */
const MAX_LISTED = 50;

function markdownText(manifest: Manifest, model: StackModel): string {
  const { createdAt, createdBy, source, contentDigest, redactions, warnings, notHeld = [] } = manifest;
  const origin = `${code(addressOf(source))}, read ${plain(createdAt)} by ${plain(createdBy.name)} ${plain(createdBy.version)}`;
  const secrets = countText(redactions.length, "secret");
  return [
    `## Stack archive of ${origin}\n`,
    countTable(manifest),
    `Content digest ${code(contentDigest)}; ${secrets} taken out.\n`,
    ...warnings.map(({ message }) => `> **Warning**: ${plain(message)}\n`),
    ...listOf("Not in the archive, because the API does not return it", notHeld, ({ kind, message }) =>
      plain(kind === undefined ? message : `${pluralOf(kind)}: ${message}`),
    ),
    ...listOf("Dashboards", model.dashboards, ({ name, id, tiles, tags }) => {
      const alerts = model.alertsOn(id).length;
      const about = [
        countText(tiles.length, "tile"),
        ...(alerts > 0 ? [countText(alerts, "alert")] : []),
        ...tags.map(code),
      ];
      return `**${plain(name || id)}**: ${about.join(", ")}`;
    }),
    ...listOf("Alerts", model.alerts, (alert) => {
      const tile = model.tile(alert.dashboardId, alert.tileId);
      const on = tile === undefined ? "" : ` on ${plain(tile.name || tile.id)}`;
      return `**${plain(alert.name || alert.id)}**: fires when ${plain(conditionOf(alert, model))}${on}`;
    }),
    ...listOf("Sources", model.sources, ({ name, id, kind, tables }) => {
      return `**${plain(name || id)}** (${plain(kind)})${tables.length > 0 ? `: ${tables.map(code).join(", ")}` : ""}`;
    }),
  ].join("\n");
}

function countTable({ kinds }: Manifest): string {
  const rows = inKindOrder(Object.entries(kinds), ([kind]) => kind).map(([kind, { count, status, error }]) => {
    return `| ${plain(kind)} | ${count} | ${plain(status)}${error === undefined ? "" : `: ${plain(error)}`} |\n`;
  });
  return `| kind | records | status |\n| --- | ---: | --- |\n${rows.join("")}`;
}

function listOf<Item>(title: string, items: readonly Item[], line: (item: Item) => string): string[] {
  if (items.length === 0) return [];
  const lines = items.slice(0, MAX_LISTED).map((item) => `- ${line(item)}\n`);
  const more = items.length > MAX_LISTED ? `- and ${items.length - MAX_LISTED} more\n` : "";
  return [`### ${title}\n`, `${lines.join("")}${more}`];
}

/** Width of a drawing in columns, if the width of the output is unknown. */
const DEFAULT_COLUMNS = 100;
const MAX_WIDTH = 160;

/** Draws a dashboard in characters: every tile at its position, with type, source and alerts. */
export function dashboardText(dashboard: DashboardModel, model: StackModel, display: OutputOptions): string {
  const columns = Math.min(display.columns ?? DEFAULT_COLUMNS, MAX_WIDTH);
  const { theme } = display;
  const line = (text: string): string => `${fitText(printable(text), columns)}\n`;
  const alerts = model.alertsOn(dashboard.id);
  const counts = `${countText(dashboard.tiles.length, "tile")}, ${countText(alerts.length, "alert")}`;
  const tags = dashboard.tags.length === 0 ? "" : `  [${dashboard.tags.join(", ")}]`;
  const panels = dashboard.panels.map((panel) => {
    const title = titleOf(panel);
    const heading = title === "" ? "" : `\n${theme.strong(line(title).trimEnd())}\n`;
    return (
      heading +
      drawGrid(
        panel.tiles.map((tile) => gridTile(dashboard, tile, model)),
        columns,
      )
    );
  });
  const filters = dashboard.filters.map(({ name, expression }) => line(`filter ${name}: ${expression}`));
  const alertLines = alerts.map((alert) => {
    const tile = model.tile(dashboard.id, alert.tileId);
    return line(`! ${alert.name || alert.id}: on ${tile?.name ?? alert.tileId}, ${alert.condition}`);
  });
  return [
    `${theme.strong(line(dashboard.name || dashboard.id).trimEnd())}\n`,
    theme.faint(line(`${dashboard.id}  ${counts}${tags}`).trimEnd()) + "\n",
    ...panels,
    ...filters,
    ...alertLines,
  ].join("");
}

function titleOf({ title, tab, collapsed }: Panel): string {
  return `${title}${tab === "" ? "" : ` › ${tab}`}${collapsed ? " (closed at first)" : ""}`;
}

function gridTile({ id }: DashboardModel, tile: DashboardModel["tiles"][number], model: StackModel): GridTile {
  const source = tile.sourceId === "" ? "" : (model.find("sources", tile.sourceId)?.name ?? tile.sourceId);
  const alerts = model.alertsOn(id, tile.id).length;
  const { x, y, w, h } = tile;
  const about = [typeWords(tile.type, tile.sql), source].filter((part) => part !== "").join(" · ");
  const mark = alerts === 0 ? "" : alerts === 1 ? "! " : `!${alerts} `;
  return { x, y, w, h, lines: [`${mark}${tile.name || "(no title)"}`, about].map((line) => printable(line)) };
}

/** A box to draw on the grid of 24 columns, and the lines of text in it, without control characters. */
export interface GridTile {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
  readonly lines: readonly string[];
}

const GRID = 24;
/** Maximum height of a drawing; a longer dashboard is cut. */
const MAX_ROWS = 240;

/**
 * Draws boxes at their positions, no line wider than `columns`. Overlapping boxes are drawn one over the other, as in the browser.
 */
export function drawGrid(tiles: readonly GridTile[], columns: number): string {
  if (tiles.length === 0) return "(no tiles)\n";
  const top = tiles.reduce((least, { y }) => Math.min(least, y), Infinity);
  const canvas: string[][] = [];
  for (const tile of tiles) drawBox(canvas, { ...tile, y: tile.y - top }, columns);
  return canvas
    .slice(0, MAX_ROWS)
    .map(
      (row) =>
        `${Array.from(row, (cell) => cell ?? " ")
          .join("")
          .trimEnd()}\n`,
    )
    .join("");
}

function drawBox(canvas: string[][], { x, y, w, h, lines }: GridTile, columns: number): void {
  const left = Math.round((x * columns) / GRID);
  const right = Math.max(left + 1, Math.round(((x + w) * columns) / GRID) - 1);
  const first = Math.round(y);
  const last = Math.max(first + 1, Math.round(y + h) - 1);
  if (first >= MAX_ROWS) return;
  for (let row = first; row <= Math.min(last, MAX_ROWS); row += 1) {
    const [start = "", middle = "", end = ""] = row === first ? "┌─┐" : row === last ? "└─┘" : "│ │";
    const cells = rowOf(canvas, row);
    cells[left] = start;
    for (let at = left + 1; at < right; at += 1) cells[at] = middle;
    cells[right] = end;
  }
  const room = right - left - 3;
  const [title = "", about = ""] = lines;
  const inside = last - first - 1;
  // A box of two rows has no inside, so its title is drawn in its upper edge. A box of three rows has room for the title only.
  put(canvas, inside > 0 ? first + 1 : first, left + 2, fitText(title, room));
  if (inside > 1) put(canvas, first + 2, left + 2, fitText(about, room));
  else if (about !== "" && room >= 8) put(canvas, last, left + 2, ` ${fitText(about, room - 3)} `);
}

/** Writes a text into a row, one cell per column; the second cell of a wide character is empty. */
function put(canvas: string[][], row: number, column: number, text: string): void {
  const cells = rowOf(canvas, row);
  let at = column;
  for (const { segment } of graphemes.segment(text)) {
    const width = stringWidth(segment);
    cells[at] = segment;
    for (let column = 1; column < width; column += 1) cells[at + column] = "";
    at += width;
  }
}

function rowOf(canvas: string[][], row: number): string[] {
  while (canvas.length <= row) canvas.push([]);
  return canvas[row] ?? [];
}

interface Branch {
  readonly text: string;
  readonly isMissing: boolean;
}

/** Renders the dependencies of each record, one step each way: the records that it needs (→), and the records that need it (←). */
export function treeText(model: StackModel, display: OutputOptions): string {
  const sections = kinds.flatMap(({ name: kind }) => {
    const records = model.records.filter((record) => record.kind === kind);
    if (records.length === 0) return [];
    return [
      `${display.theme.heading(pluralOf(kind))}\n${records.map((record) => recordText(record, model, display)).join("")}`,
    ];
  });
  return sections.join("\n");
}

/**
 * Tells whether the archive's stack lists records of the kind. If it does not, as with connections and saved searches of some
 * stacks, a record that is not in the archive is not missing.
 */
function isArchived(space: string, { records }: StackModel): boolean {
  const kind = findKind(space);
  if (kind === undefined) return false;
  const { importPolicy } = kind;
  const isServedAlone = importPolicy.when === "on-request" && importPolicy.servedWith === space;
  return !isServedAlone || records.some((record) => record.kind === space);
}

function recordText(record: StackRecord, model: StackModel, display: OutputOptions): string {
  const { theme, columns } = display;
  const key = recordKey(record.kind, record.id);
  const needs = model.needs(key).map(({ space, id }): Branch => {
    const dependency = model.find(space, id);
    return {
      text: `→ ${nounOf(space)} ${dependency?.name || id}`,
      isMissing: dependency === undefined && isArchived(space, model),
    };
  });
  const dependents = model
    .neededBy(key)
    .filter(({ kind, id }) => kind !== record.kind || id !== record.id)
    .map(({ kind, id, name }): Branch => ({ text: `← ${nounOf(kind)} ${name || id}`, isMissing: false }));
  const branches = [...needs, ...dependents];
  const cut = (text: string): string => (columns === undefined ? text : fitText(text, columns));
  const lines = branches.map(({ text, isMissing }, index) => {
    const line = cut(
      printable(`  ${index === branches.length - 1 ? "└─" : "├─"} ${text}${isMissing ? " (not in this archive)" : ""}`),
    );
    return isMissing ? theme.notice(line) : line;
  });
  return [cut(printable(`  ${record.name || record.id}`)), ...lines].map((line) => `${line}\n`).join("");
}
