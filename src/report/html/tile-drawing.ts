import type { Html } from "./html.ts";
import { ownMember } from "../../core/json.ts";
import { cutText } from "../../core/text/fit-width.ts";
import { visibleText } from "../../core/text/printable.ts";
import { html, ownMarkup } from "./html.ts";
import { joinFilled } from "../model/query.ts";
import type { TileMark, TileModel } from "../model/dashboard.ts";
import stringWidth from "string-width";

/** The details of a tile's drawing that are not in the tile itself. */
export interface TileDetails {
  /** The name of the tile's source; empty if the tile has none. */
  readonly source: string;
  /** Names of the alerts that watch the tile. */
  readonly alerts: readonly string[];
  /** The mark of a tile that differs in a comparison. */
  readonly mark?: TileMark;
  /** Number of the tile in the list below the drawing: a narrow screen has no room for names. */
  readonly number: number;
}

const SIGNS: Readonly<Record<TileMark, string>> = { added: "+", removed: "−", changed: "~" };

const PADDING = 9;
const TITLE = 14;
const SMALL = 11.5;
/** Minimum height of a tile for a second line below its title, and for a third line with the names of its alerts. */
const TWO_LINES = 42;
const THREE_LINES = 62;
/** Width that a bell with its number takes from a line. MARK is the width that the word of a comparison (added, changed) takes. */
const BELL = 34;
/** Width below which no text is drawn: two letters and three dots say nothing. */
const MIN_WORDS = 36;
const MARK = 70;

/**
 * Draws a tile in an inner `svg`, which clips everything outside of the tile's box.
 * @param firstRow the row at the upper edge of the drawing
 * @param column width of a grid column, in units of the drawing
 */
export function drawTile(tile: TileModel, firstRow: number, column: number, details: TileDetails): Html {
  const width = tile.w * column - 6;
  const height = tile.h * ROW - 6;
  const mark = details.mark === undefined ? "" : ` ${details.mark}`;
  const lines = height < TWO_LINES ? 1 : details.alerts.length > 0 && height >= THREE_LINES ? 3 : 2;
  const names = fitText(details.alerts.join(", "), width - 2 * PADDING - 17, SMALL);
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

/** Draws the title of a tile and, on its right, a bell with the number of alerts. */
function drawTitle(
  { name, h }: TileModel,
  { alerts, mark }: TileDetails,
  { width, middle }: { readonly width: number; readonly middle: number },
): Html {
  const right = width - PADDING;
  const low = h * ROW - 6 < TWO_LINES;
  const taken = (alerts.length > 0 ? BELL : 0) + (low && mark !== undefined ? MARK : 0);
  const title = fitText(name === "" ? "(no title)" : name, right - PADDING - taken, TITLE);
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

/** Draws the second line of a tile: its type and its source, and on the right the word of a comparison (added, changed). */
function drawAbout(tile: TileModel, { source, mark }: TileDetails, width: number): Html {
  const words = joinFilled([typeWords(tile.type, tile.sql), source]);
  const room = width - 2 * PADDING - 17 - (mark === undefined ? 0 : MARK);
  return html`<use class="g" href="#g-${symbolOf(tile.type)}" x="${PADDING}" y="27" width="12" height="12" /><text
      class="s"
      x="${PADDING + 17}"
      y="37"
      >${room < MIN_WORDS ? "" : fitText(words, room, SMALL)}</text
    >${mark !== undefined && html`<text class="m" x="${round(width - PADDING)}" y="37">${mark}</text>`}`;
}

/** The room in a tile below its text. */
interface SketchRoom {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly bottom: number;
}

const LINE = 15;
/** Minimum height of a sketch; a lower one is a smear. */
const MIN_HEIGHT = 14;

/**
 * Draws the text of a text tile. For any other tile, draws a faint picture of the tile's type, because an archive has no data to
 * draw.
 */
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
    Object.hasOwn(SKETCHES, symbol) &&
    html`<use class="k" href="#s-${symbol}" x="${x}" y="${y}" width="${round(width)}" height="${round(room)}" />`
  );
}

function drawText(text: string, { x, y, width, bottom }: SketchRoom): Html {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const visibleLines = lines.slice(0, Math.floor((bottom - y + 4) / LINE));
  return html`${visibleLines.map(
    (line, index) => html`<text class="s" x="${x}" y="${y + 10 + index * LINE}">${fitText(line, width, SMALL)}</text>`,
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

/** Returns the readable name of a tile's type: `line chart`, `table, SQL`. */
export function typeWords(type: string, sql: boolean): string {
  const words = ownMember(WORDS, type) ?? type;
  return sql ? `${words}, SQL` : words;
}

/** Returns the name of the symbol for a type. `time` is the older name of a line chart. */
function symbolOf(type: string): string {
  if (type === "time") return "line";
  return Object.hasOwn(WORDS, type) ? type : "unknown";
}

/** Symbols of the tile types, 16 × 16. */
const GLYPHS: Readonly<Record<string, string>> = {
  line: '<path d="M1 12 5 7l3 3 6-7"/>',
  stacked_bar: '<path d="M3 14V9M8 14V4M13 14V7M1.5 11.5h3M6.5 9h3M11.5 11h3"/>',
  bar: '<path d="M2 3.5h11M2 8h7M2 12.5h4"/>',
  number: '<path d="M5.5 2 4 14M12 2l-1.5 12M2 5.5h12M2 10.5h12"/>',
  table: '<path d="M2 2.5h12v11H2zM2 6.5h12M2 10h12M7 6.5v7"/>',
  pie: '<circle cx="8" cy="8" r="6"/><path d="M8 8V2M8 8l5 3.5"/>',
  heatmap: '<path d="M2 2h4v4H2zM10 2h4v4h-4zM6 6h4v4H6zM2 10h4v4H2zM10 10h4v4h-4z"/>',
  markdown: '<path d="M2 3h12M2 6.5h12M2 10h12M2 13.5h7"/>',
  search: '<circle cx="7" cy="7" r="4.5"/><path d="m10.5 10.5 4 4"/>',
  event_patterns: '<path d="M2 4h3M7 4h7M2 8h7M11 8h3M2 12h5M9 12h5"/>',
  unknown: '<path d="M5 6a3 3 0 1 1 4 2.8c-.7.3-1 .8-1 1.7M8 13.5v.1"/>',
  bell: '<path d="M3 12h10c-1.3-1.2-1.5-2.5-1.5-4.5a3.5 3.5 0 0 0-7 0C4.5 9.5 4.3 10.8 3 12zM6.7 14.2h2.6"/>',
};

/** Sketches of the tile types, 100 × 40, stretched to the tile. They show only the look of a type: an archive has no data. */
const SKETCHES: Readonly<Record<string, string>> = {
  line: '<path d="M0 30 12 24l10 4 12-13 12 6 13-11 11 9 14-12 16 5"/><path d="M0 36l14-4 12 2 16-5 14 4 17-6 12 3 15-5"/>',
  stacked_bar:
    '<path class="f" d="M3 40V22h8v18zM17 40V14h8v26zM31 40V19h8v21zM45 40V8h8v32zM59 40V16h8v24zM73 40V11h8v29zM87 40V20h8v20z"/>',
  bar: '<path class="f" d="M0 3h88v7H0zM0 13h60v7H0zM0 23h41v7H0zM0 33h22v6H0z"/>',
  number: '<path d="M0 34 14 28l16 3 18-9 16 4 18-10 18-4"/>',
  table: '<path d="M0 8h100M0 18h100M0 28h100M0 38h100M34 0v40M72 0v40"/>',
  heatmap:
    '<path class="f" d="M4 24h9v7H4zM16 18h9v7h-9zM28 26h9v7h-9zM40 12h9v7h-9zM40 28h9v7h-9zM52 20h9v7h-9zM64 26h9v7h-9zM64 8h9v7h-9zM76 18h9v7h-9zM88 26h9v7h-9z"/>',
  search: '<path d="M0 7h96M0 17h74M0 27h90M0 37h58"/>',
  event_patterns: '<path d="M0 7h20M26 7h60M0 17h44M50 17h30M0 27h14M20 27h70M0 37h34M40 37h20"/>',
  markdown: '<path d="M0 6h60M0 17h92M0 27h84M0 37h40"/>',
};

/** Renders all symbols, each once for the page; drawings refer to them. */
export function symbols(): Html {
  const glyphs = Object.entries(GLYPHS).map(
    ([name, shape]) => `<symbol id="g-${name}" viewBox="0 0 16 16">${shape}</symbol>`,
  );
  const sketches = Object.entries(SKETCHES).map(
    ([name, shape]) => `<symbol id="s-${name}" viewBox="0 0 100 40" preserveAspectRatio="none">${shape}</symbol>`,
  );
  return ownMarkup(
    `<svg class="defs" width="0" height="0" aria-hidden="true">${[...glyphs, ...sketches].join("")}</svg>`,
  );
}

/** Matches texts of single-width Latin characters only. */
const LATIN = /^[\x20-\x7e\u00a0-\u00ac\u00ae-\u00ff]*$/;
/** Assumed width of a character, as a fraction of the font size: SVG does not cut text, and only a browser could measure it. */
const LETTER = 0.56;

/** Cuts a text to about `width` units at a font size, and marks the cut with `…`. Wide characters count twice. */
export function fitText(wholeText: string, width: number, fontSize: number): string {
  const text = visibleText(wholeText);
  const most = Math.floor(width / (fontSize * LETTER));
  // Latin text is cut by its length alone: to measure text is the slowest step of drawing a page, and almost all names are Latin.
  if (LATIN.test(text)) return text.length <= most ? text : most < 2 ? "" : `${text.slice(0, most - 1).trimEnd()}…`;
  const head = text.slice(0, 4 * most);
  if (head.length === text.length && stringWidth(text) <= most) return text;
  return most < 2 ? "" : `${cutText(head, most - 1).trimEnd()}…`;
}

/** Rounds a position to a tenth of a unit. Positions may be fractions of a column. */
function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Width of a grid column, in units of the drawing. */
export const COLUMN = 40;

/** Width of a column if two drawings stand side by side, so that their text has the size of other text. */
export const NARROW_COLUMN = 22;

/** Height of a grid row, in units of the drawing. */
export const ROW = 26;
