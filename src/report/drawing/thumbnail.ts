import type { Html } from "../html.ts";
import { html } from "../html.ts";
import type { DashboardModel } from "../model/dashboard.ts";

/** Units of a thumbnail: a column, a row (high enough that its shape can be seen), and the gap between two tiles. */
const COLUMN = 10;
const ROW = 12;
const GAP = 7;
/** As many rows as it has room for; more are cut off, as a window would. */
const ROWS = 11;

/** The layout of a dashboard in the size of a word: one path, as a page may have a thousand of them. */
export function drawThumbnail({ panels }: DashboardModel): Html | false {
  let top = 0;
  let path = "";
  for (const { tiles } of panels) {
    const first = tiles.reduce((least, { y }) => Math.min(least, y), Number.POSITIVE_INFINITY);
    let end = top;
    for (const { x, y, w, h } of tiles) {
      const row = top + y - first;
      end = Math.max(end, row + h);
      if (row < ROWS) path += box(x * COLUMN, row * ROW, w * COLUMN - GAP, h * ROW - GAP);
    }
    top = end;
  }
  return (
    path !== "" &&
    html`<svg class="mini" viewBox="-3 -3 ${24 * COLUMN} ${Math.min(top, ROWS) * ROW}" aria-hidden="true">
      <path d="${path}" />
    </svg>`
  );
}

function box(x: number, y: number, width: number, height: number): string {
  const [left, top, across, down] = [x, y, Math.max(width, 2), Math.max(height, 2)].map(Math.round);
  return `M${left} ${top}h${across}v${down}h-${across}z`;
}
