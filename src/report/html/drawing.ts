import { cutText } from "../../core/text/fit-width.ts";
import { visibleText } from "../../core/text/printable.ts";
import stringWidth from "string-width";
import type { Drawing, DrawnPanel, DrawnTile } from "../document.ts";
import type { TileMark } from "../model/dashboard.ts";
import { joinNonEmpty } from "../model/query.ts";
import { countText, tileTypeName } from "../view/words.ts";
import { html, type Html } from "./html.ts";
import { hasSketch, symbolName } from "./tile-symbols.ts";

/** Draws the grids of a dashboard, each container and tab with its title. */
export function drawingHtml({ name, panels, isNarrow }: Drawing): Html[] {
  return panels.map((panel) => {
    const { title, tab, tiles, collapsed } = panel;
    const heading = tab === "" ? title : `${title} › ${tab}`;
    const label = `Drawing of ${name}${heading === "" ? "" : `, ${heading}`}: ${countText(tiles.length, "tile")}`;
    const grid = gridHtml(panel, label, isNarrow ? NARROW_COLUMN_WIDTH : COLUMN_WIDTH);
    return html`${heading !== "" && html`<h3>${heading}${collapsed && html` <span class="count">closed at first</span>`}</h3>`}${grid}`;
  });
}

/** Draws a grid with the tiles in their true positions: 24 columns, as many rows as the grid has. */
function gridHtml({ tiles }: DrawnPanel, label: string, column: number): Html {
  if (tiles.length === 0) return html`<p class="none">No tiles.</p>`;
  const rows = tiles.reduce((most, { y, h }) => Math.max(most, y + h), 1);
  // The tiles of a grid may begin far down, for instance in a container. The drawing omits the empty rows above them.
  const from = tiles.reduce((least, { y }) => Math.min(least, y), rows);
  return html`<div class="grid">
    <svg viewBox="0 0 ${24 * column} ${(rows - from) * ROW_HEIGHT}" role="img" aria-label="${label}">
      ${tiles.map((tile, index) => drawTile(tile, from, column, index + 1))}
    </svg>
    <ol class="legend">
      ${tiles.map(legendOf)}
    </ol>
  </div>`;
}

/** Renders the legend entry for a tile's number. Drawings that are too small for names show only the numbers. */
function legendOf(tile: DrawnTile): Html {
  const { name, mark } = tile;
  const about = html`<span class="soft">${tileTypeName(tile)}</span>`;
  return html`<li>${name === "" ? "(no title)" : name} ${about}${mark !== undefined && html` <b>${mark}</b>`}</li>`;
}

const SIGNS: Readonly<Record<TileMark, string>> = { added: "+", removed: "−", changed: "~" };

const PADDING = 9;
const TITLE = 14;
const SMALL = 11.5;
/**
 * Minimum height of a tile for a second line below its title. The next constant is the minimum for a third line, with the names of
 * its alerts.
 */
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
 * @param number of the tile in the list below the drawing: a narrow screen has no room for names
 */
function drawTile(tile: DrawnTile, firstRow: number, column: number, number: number): Html {
  const width = tile.w * column - 6;
  const height = tile.h * ROW_HEIGHT - 6;
  const { mark, alerts } = tile;
  const lines = height < TWO_LINES ? 1 : alerts.length > 0 && height >= THREE_LINES ? 3 : 2;
  const names = fitSvgText(alerts.join(", "), width - 2 * PADDING - 17, SMALL);
  return html`<svg
    class="t${mark !== undefined && ` ${mark}`}"
    x="${round(tile.x * column + 3)}"
    y="${round((tile.y - firstRow) * ROW_HEIGHT + 3)}"
    width="${round(width)}"
    height="${round(height)}"
  >
    <rect class="b" x="1" y="1" width="${round(width - 2)}" height="${round(height - 2)}" rx="5" />
    ${drawSketch(tile, { x: PADDING, y: lines === 3 ? 64 : 48, width: width - 2 * PADDING, bottom: height - PADDING })}
    ${drawTitle(tile, { width, middle: lines === 1 ? round(height / 2) : 15 })} ${lines > 1 && drawAbout(tile, width)}
    <text class="i" x="${round(width / 2)}" y="${round(height / 2)}">${number}${mark && SIGNS[mark]}</text>
    ${lines === 3 && html`<text class="s w" x="${PADDING + 17}" y="54">${names}</text>`}
  </svg>`;
}

/** Draws the title of a tile and, on its right, a bell with the number of alerts. */
function drawTitle(
  { name, h, alerts, mark }: DrawnTile,
  { width, middle }: { readonly width: number; readonly middle: number },
): Html {
  const right = width - PADDING;
  const low = h * ROW_HEIGHT - 6 < TWO_LINES;
  const taken = (alerts.length > 0 ? BELL : 0) + (low && mark !== undefined ? MARK : 0);
  const title = fitSvgText(name === "" ? "(no title)" : name, right - PADDING - taken, TITLE);
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
function drawAbout(tile: DrawnTile, width: number): Html {
  const { source, mark } = tile;
  const words = joinNonEmpty([tileTypeName(tile), source]);
  const room = width - 2 * PADDING - 17 - (mark === undefined ? 0 : MARK);
  return html`<use class="g" href="#g-${symbolName(tile.type)}" x="${PADDING}" y="27" width="12" height="12" /><text
      class="s"
      x="${PADDING + 17}"
      y="37"
      >${room < MIN_WORDS ? "" : fitSvgText(words, room, SMALL)}</text
    >${mark !== undefined && html`<text class="m" x="${round(width - PADDING)}" y="37">${mark}</text>`}`;
}

interface SketchRoom {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly bottom: number;
}

const LINE = 15;
/** Minimum height of a sketch; a lower sketch would be a smear. */
const MIN_HEIGHT = 14;

/** Draws the text of a text tile, or a faint picture of the tile's type: an archive has no data to draw. */
function drawSketch(tile: DrawnTile, { x, y, width, bottom }: SketchRoom): Html | false {
  const symbol = symbolName(tile.type);
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
      html`<text class="s" x="${x}" y="${y + 10 + index * LINE}">${fitSvgText(line, width, SMALL)}</text>`,
  )}`;
}

/** Matches texts of single-width Latin characters only. */
const LATIN = /^[\x20-\x7e\u00a0-\u00ac\u00ae-\u00ff]*$/;
/**
 * Assumed width of a character, as a fraction of the font size: the text is cut here, because SVG does not cut it, and only a
 * browser knows its real width.
 */
const LETTER = 0.56;

/** Cuts a text to about `width` units at a font size, and marks the cut with `…`. Wide characters count twice. */
export function fitSvgText(wholeText: string, width: number, fontSize: number): string {
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
const COLUMN_WIDTH = 40;

/** Width of a column if two drawings stand side by side. At this width their text is as large as other text. */
const NARROW_COLUMN_WIDTH = 22;

/** Height of a grid row, in units of the drawing. */
const ROW_HEIGHT = 26;
