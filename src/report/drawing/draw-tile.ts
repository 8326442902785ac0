import type { TileModel } from "../model/tile.ts";
import type { TileMark } from "../model/tile-marks.ts";
import { html } from "../html.ts";
import type { Html } from "../html.ts";
import { visible } from "../visible.ts";
import { fitText } from "./fit-text.ts";
import { COLUMN, ROW } from "./grid-units.ts";
import { hasSketch } from "./symbols.ts";
import { symbolOf, typeWords } from "./tile-types.ts";

/** What a tile is drawn with besides itself. */
export interface TileDetails {
  /** The name of its source; empty where it has none. */
  readonly source: string;
  /** Names of the alerts that watch it. */
  readonly alerts: readonly string[];
  /** A comparison marks the tiles that differ. */
  readonly mark?: TileMark;
}

const PADDING = 9;
const TITLE = 14;
const SMALL = 11.5;
/** Lower than this, a tile has room for its title alone; sketches begin below the two lines of text. */
const TWO_LINES = 42;
const SKETCH_FROM = 48;

/** One tile: what overflows its box is clipped, as an inner `svg` does by itself. */
export function drawTile(tile: TileModel, firstRow: number, details: TileDetails): Html {
  const width = tile.w * COLUMN - 6;
  const height = tile.h * ROW - 6;
  const marks = marksWidth(details);
  const title = fitText(visible(tile.name === "" ? "(no title)" : tile.name), width - 2 * PADDING - marks, TITLE);
  const about = [typeWords(tile.type, tile.sql), details.source].filter((part) => part !== "").join(" · ");
  const symbol = symbolOf(tile.type);
  const mark = details.mark === undefined ? "" : ` ${details.mark}`;
  return html`<svg
    class="t${mark}"
    x="${round(tile.x * COLUMN + 3)}"
    y="${round((tile.y - firstRow) * ROW + 3)}"
    width="${round(width)}"
    height="${round(height)}"
  >
    <rect class="b" x="1" y="1" width="${round(width - 2)}" height="${round(height - 2)}" rx="5" />
    ${sketch(symbol, width, height)}
    <text class="n" x="${PADDING}" y="${height < TWO_LINES ? round(height / 2 + 5) : 20}">${title}</text>
    ${
      height >= TWO_LINES &&
      html`<use class="g" href="#g-${symbol}" x="${PADDING}" y="27" width="12" height="12" /><text
          class="s"
          x="${PADDING + 17}"
          y="37"
          >${fitText(visible(about), width - 2 * PADDING - 17, SMALL)}</text
        >`
    }${drawMarks(details, width, height)}
  </svg>`;
}

function sketch(symbol: string, width: number, height: number): Html | false {
  const room = height - SKETCH_FROM - PADDING;
  if (symbol === "pie" && room >= 20) {
    const size = round(Math.min(room, 70));
    return html`<use
      class="k"
      href="#g-pie"
      x="${round((width - size) / 2)}"
      y="${SKETCH_FROM}"
      width="${size}"
      height="${size}"
    />`;
  }
  return (
    hasSketch(symbol) &&
    room >= 14 &&
    html`<use
      class="k"
      href="#s-${symbol}"
      x="${PADDING}"
      y="${SKETCH_FROM}"
      width="${round(width - 2 * PADDING)}"
      height="${round(room)}"
    />`
  );
}

function marksWidth({ alerts }: TileDetails): number {
  return alerts.length === 0 ? 0 : 34;
}

/** A bell with the number of alerts in the upper right corner, the word of a comparison in the lower one. */
function drawMarks({ alerts, mark }: TileDetails, width: number, height: number): Html {
  const middle = height < TWO_LINES ? height / 2 : 15;
  const right = width - PADDING;
  const bell =
    alerts.length > 0 &&
    html`<use class="a" href="#g-bell" x="${round(right - 26)}" y="${round(middle - 7)}" width="14" height="14" /><text
        class="c"
        x="${round(right)}"
        y="${round(middle + 4)}"
        >${alerts.length}</text
      >`;
  const word = mark !== undefined && html`<text class="m" x="${round(right)}" y="${round(height - 8)}">${mark}</text>`;
  return html`${bell}${word}`;
}

/** Positions may be fractions of a column. */
function round(value: number): number {
  return Math.round(value * 10) / 10;
}
