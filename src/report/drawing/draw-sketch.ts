import type { TileModel } from "../model/tile.ts";
import { html } from "../html.ts";
import type { Html } from "../html.ts";
import { visible } from "../visible.ts";
import { fitText } from "./fit-text.ts";
import { round } from "./round.ts";
import { hasSketch } from "./symbols.ts";
import { symbolOf } from "./tile-types.ts";

/** What is left of a tile below its words. */
export interface SketchRoom {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly bottom: number;
}

const LINE = 15;
const SMALL = 11.5;
/** Lower than this, a sketch is a smear. */
const LEAST = 14;

/** What a tile would look like: its text if it is one, else a faint picture of its type. An archive has no data to draw. */
export function drawSketch(tile: TileModel, { x, y, width, bottom }: SketchRoom): Html | false {
  const symbol = symbolOf(tile.type);
  const room = bottom - y;
  if (room < LEAST) return false;
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
  const shown = lines.slice(0, Math.floor((bottom - y + 4) / LINE));
  return html`${shown.map(
    (line, index) =>
      html`<text class="s" x="${x}" y="${y + 10 + index * LINE}">${fitText(visible(line), width, SMALL)}</text>`,
  )}`;
}
