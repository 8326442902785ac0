import type { Html } from "../html.ts";
import { html } from "../html.ts";
import type { Panel } from "../model/dashboard.ts";
import type { TileMark, TileModel } from "../model/tile.ts";
import type { TileDetails } from "./tile.ts";
import { drawTile, typeWords } from "./tile.ts";
import { COLUMN, ROW } from "./units.ts";

/** What the drawing of a grid needs to know besides its tiles. */
export interface PanelDetails {
  /** What the drawing is of, for people who do not see it. */
  readonly label: string;
  readonly detailsOf: (tile: TileModel) => Omit<TileDetails, "number">;
  /** How wide a column is drawn. */
  readonly column?: number;
}

/** A grid of tiles in their true positions: 24 columns, as many rows as it has. */
export function drawPanel({ tiles }: Panel, { label, detailsOf, column = COLUMN }: PanelDetails): Html {
  if (tiles.length === 0) return html`<p class="none">No tiles.</p>`;
  const rows = tiles.reduce((most, { y, h }) => Math.max(most, y + h), 1);
  // A grid may begin far down, in a container for instance: nothing but emptiness is lost.
  const from = tiles.reduce((least, { y }) => Math.min(least, y), rows);
  const height = (rows - from) * ROW;
  return html`<div class="grid">
    <svg viewBox="0 0 ${24 * column} ${height}" role="img" aria-label="${label}">
      ${tiles.map((tile, index) => drawTile(tile, { firstRow: from, column }, { ...detailsOf(tile), number: index + 1 }))}
    </svg>
    <ol class="legend">
      ${tiles.map((tile) => legendOf(tile, detailsOf(tile).mark))}
    </ol>
  </div>`;
}

/** What the number in a tile stands for, where the drawing is too small for names. */
function legendOf({ name, type, sql }: TileModel, mark: TileMark | undefined): Html {
  const about = html`<span class="soft">${typeWords(type, sql)}</span>`;
  return html`<li>${name === "" ? "(no title)" : name} ${about}${mark !== undefined && html` <b>${mark}</b>`}</li>`;
}
