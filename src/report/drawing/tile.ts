import type { Html } from "../html.ts";
import { visibleText } from "../../core/text/printable.ts";
import { html } from "../html.ts";
import type { TileMark, TileModel } from "../model/tile.ts";
import { hasSketch } from "./symbols.ts";
import { ROW, fitText, round } from "./units.ts";

/** The details of a tile's drawing that are not in the tile itself. */
export interface TileDetails {
  /** The name of its source; empty if it has none. */
  readonly source: string;
  /** Names of the alerts that watch it. */
  readonly alerts: readonly string[];
  /** Set in a comparison, for tiles that differ. */
  readonly mark?: TileMark;
  /** Its number in the list below the drawing: a narrow screen has no room for names. */
  readonly number: number;
}

const SIGNS: Readonly<Record<TileMark, string>> = { added: "+", removed: "−", changed: "~" };

/** The grid around a tile. */
export interface TileGrid {
  /** The row at the upper edge of the drawing. */
  readonly firstRow: number;
  /** Width of a column. */
  readonly column: number;
}

const PADDING = 9;
const TITLE = 14;
const SMALL = 11.5;
/** Heights from which a tile has room for a second line below its title, and for a third with the names of its alerts. */
const TWO_LINES = 42;
const THREE_LINES = 62;
/** Widths taken from a line by a bell with its number (BELL) and by the word of a comparison (MARK). */
const BELL = 34;
/** Width below which no text is drawn: two letters and three dots say nothing. */
const MIN_WORDS = 36;
const MARK = 70;

/** Draws a tile. An inner `svg` clips everything outside of its box. */
export function drawTile(tile: TileModel, { firstRow, column }: TileGrid, details: TileDetails): Html {
  const width = tile.w * column - 6;
  const height = tile.h * ROW - 6;
  const mark = details.mark === undefined ? "" : ` ${details.mark}`;
  const lines = height < TWO_LINES ? 1 : details.alerts.length > 0 && height >= THREE_LINES ? 3 : 2;
  const names = fitText(visibleText(details.alerts.join(", ")), width - 2 * PADDING - 17, SMALL);
  return html`<svg
    class="t${mark}"
    x="${round(tile.x * column + 3)}"
    y="${round((tile.y - firstRow) * ROW + 3)}"
    width="${round(width)}"
    height="${round(height)}"
  >
    <rect class="b" x="1" y="1" width="${round(width - 2)}" height="${round(height - 2)}" rx="5" />
    ${drawSketch(tile, { x: PADDING, y: lines === 3 ? 64 : 48, width: width - 2 * PADDING, bottom: height - PADDING })}
    ${drawTitle(tile, details, { width, middle: lines === 1 ? round(height / 2) : 15 })}
    ${lines > 1 && drawAbout(tile, details, width)}
    <text class="i" x="${round(width / 2)}" y="${round(height / 2)}">
      ${details.number}${details.mark && SIGNS[details.mark]}
    </text>
    ${lines === 3 && html`<text class="s w" x="${PADDING + 17}" y="54">${names}</text>`}
  </svg>`;
}

/** The title, and on its right a bell with the number of alerts. */
function drawTitle(
  { name, h }: TileModel,
  { alerts, mark }: TileDetails,
  { width, middle }: { readonly width: number; readonly middle: number },
): Html {
  const right = width - PADDING;
  const low = h * ROW - 6 < TWO_LINES;
  const taken = (alerts.length > 0 ? BELL : 0) + (low && mark !== undefined ? MARK : 0);
  const title = fitText(visibleText(name === "" ? "(no title)" : name), right - PADDING - taken, TITLE);
  return html`<text class="n" x="${PADDING}" y="${middle + 5}">${title}</text>${
      alerts.length > 0 &&
      html`<use class="a" href="#g-bell" x="${round(right - 26)}" y="${middle - 7}" width="14" height="14" /><text
          class="c"
          x="${round(right)}"
          y="${middle + 4}"
          >${alerts.length}</text
        >`
    }${
      low &&
      mark !== undefined &&
      html`<text class="m" x="${round(right - (alerts.length > 0 ? BELL : 0))}" y="${middle + 4}">${mark}</text>`
    }`;
}

/** The type of the tile and its source; on the right the word of a comparison. */
function drawAbout(tile: TileModel, { source, mark }: TileDetails, width: number): Html {
  const words = [typeWords(tile.type, tile.sql), source].filter((part) => part !== "").join(" · ");
  const room = width - 2 * PADDING - 17 - (mark === undefined ? 0 : MARK);
  return html`<use class="g" href="#g-${symbolOf(tile.type)}" x="${PADDING}" y="27" width="12" height="12" /><text
      class="s"
      x="${PADDING + 17}"
      y="37"
      >${room < MIN_WORDS ? "" : fitText(visibleText(words), room, SMALL)}</text
    >${mark !== undefined && html`<text class="m" x="${round(width - PADDING)}" y="37">${mark}</text>`}`;
}

/** The room in a tile below its text. */
export interface SketchRoom {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly bottom: number;
}

const LINE = 15;
/** Minimum height of a sketch; a lower one is a smear. */
const MIN_HEIGHT = 14;

/** The text of a text tile, or a faint picture of the tile's type. An archive has no data to draw. */
function drawSketch(tile: TileModel, { x, y, width, bottom }: SketchRoom): Html | false {
  const symbol = symbolOf(tile.type);
  const room = bottom - y;
  if (room < MIN_HEIGHT) return false;
  if (symbol === "markdown" && tile.query !== "") return drawText(tile.query, { x, y, width, bottom });
  if (symbol === "pie") {
    const size = round(Math.min(room, 70));
    return html`<use
      class="k"
      href="#g-pie"
      x="${round(x + (width - size) / 2)}"
      y="${y}"
      width="${size}"
      height="${size}"
    />`;
  }
  return (
    hasSketch(symbol) &&
    html`<use class="k" href="#s-${symbol}" x="${x}" y="${y}" width="${round(width)}" height="${round(room)}" />`
  );
}

function drawText(text: string, { x, y, width, bottom }: SketchRoom): Html {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const visibleLines = lines.slice(0, Math.floor((bottom - y + 4) / LINE));
  return html`${visibleLines.map(
    (line, index) =>
      html`<text class="s" x="${x}" y="${y + 10 + index * LINE}">${fitText(visibleText(line), width, SMALL)}</text>`,
  )}`;
}

/** The readable names of display types. */
const WORDS: Readonly<Record<string, string>> = {
  line: "line chart",
  time: "line chart",
  stacked_bar: "stacked bars",
  bar: "bars",
  number: "number",
  table: "table",
  pie: "pie",
  heatmap: "heatmap",
  markdown: "text",
  search: "search",
  event_patterns: "patterns",
};

/** Types with a symbol of their own; `time` is the older name of a line chart. */
const SYMBOLS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.keys(WORDS).map((type) => [type, type])),
  time: "line",
};

/** The readable name of a tile's type: `line chart`, `table, SQL`. */
export function typeWords(type: string, sql: boolean): string {
  const words = Object.hasOwn(WORDS, type) ? (WORDS[type] ?? type) : type;
  return sql ? `${words}, SQL` : words;
}

/** The name of the symbol for a type. */
function symbolOf(type: string): string {
  return Object.hasOwn(SYMBOLS, type) ? (SYMBOLS[type] ?? "unknown") : "unknown";
}
