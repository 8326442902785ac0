import { pluralize } from "../../core/text/format.ts";
import type { Drawing, DrawnPanel, DrawnTile } from "../document.ts";
import { joinNonEmpty } from "../model/query.ts";
import { tileTypeName } from "../view/words.ts";
import { html, type Html } from "./html.ts";

/** The size of a grid cell, in units of the drawing. */
const COLUMN = 40;
const ROW = 26;

export function drawingHtml({ name, panels }: Drawing): Html[] {
  return panels.map((panel) => {
    const { title, tab, tiles, collapsed } = panel;
    const heading = tab === "" ? title : `${title} › ${tab}`;
    const label = `Drawing of ${name}${heading === "" ? "" : `, ${heading}`}: ${pluralize(tiles.length, "tile")}`;
    return html`${heading !== "" && html`<h3>${heading}${collapsed && html` <span class="count">closed at first</span>`}</h3>`}${gridHtml(panel, label)}`;
  });
}

function gridHtml({ tiles }: DrawnPanel, label: string): Html {
  if (tiles.length === 0) return html`<p class="none">No tiles.</p>`;
  const rows = tiles.reduce((most, { y, h }) => Math.max(most, y + h), 1);
  // The tiles of a container may begin far down; the drawing omits the empty rows above.
  const from = tiles.reduce((least, { y }) => Math.min(least, y), rows);
  return html`<div class="grid">
    <svg viewBox="0 0 ${24 * COLUMN} ${(rows - from) * ROW}" role="img" aria-label="${label}">
      ${tiles.map((tile) => drawTile(tile, from))}
    </svg>
  </div>`;
}

/** The inner `svg` cuts off long texts; the table below the drawing has them whole. */
function drawTile(tile: DrawnTile, firstRow: number): Html {
  const { x, y, w, h, name, source, alerts } = tile;
  const [width, height] = [w * COLUMN - 6, h * ROW - 6];
  return html`<svg
    x="${round(x * COLUMN + 3)}"
    y="${round((y - firstRow) * ROW + 3)}"
    width="${round(width)}"
    height="${round(height)}"
  >
    <rect class="b" x="1" y="1" width="${round(width - 2)}" height="${round(height - 2)}" rx="5" />
    <text class="n" x="9" y="16">${name === "" ? "(no title)" : name}</text>
    <text class="s" x="9" y="33">${joinNonEmpty([tileTypeName(tile), source])}</text>
    ${alerts.length > 0 && html`<text class="w" x="9" y="50">! ${alerts.join(", ")}</text>`}
  </svg>`;
}

/** Rounds to tenths, because positions may be fractions of a column. */
function round(value: number): number {
  return Math.round(value * 10) / 10;
}
