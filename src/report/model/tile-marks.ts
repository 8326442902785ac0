import type { MemberChange } from "../../domain/diff.ts";
import type { TileModel } from "./tile.ts";

/** How a tile differs, in a word, shown on the tile: a drawing must be readable without colours. */
export type TileMark = "added" | "removed" | "changed";

/** `/tiles/3` and what may stand below it. */
const TILE = /^\/tiles\/(\d+)(\/.+)?$/;

/**
 * Which tiles differ, by what is said of their members. Pointers lead into the right record, or for what was removed into the
 * left one; the tile of the other side is the one with the same id, else the one with the same name.
 */
export function marksOf(
  members: readonly MemberChange[],
  left: readonly TileModel[],
  right: readonly TileModel[],
): Map<TileModel, TileMark> {
  const marks = new Map<TileModel, TileMark>();
  for (const { pointer, change } of members) {
    const [, index = "", below] = TILE.exec(pointer) ?? [];
    const own = change === "removed" ? left : right;
    const tile = index === "" ? undefined : own[Number(index)];
    if (tile === undefined) continue;
    const whole = below === undefined && (change === "added" || change === "removed");
    const mark = whole ? change : "changed";
    if (!marks.has(tile) || mark !== "changed") marks.set(tile, mark);
    if (whole) continue;
    const other = counterpart(tile, own === left ? right : left);
    if (other !== undefined && !marks.has(other)) marks.set(other, "changed");
  }
  return marks;
}

function counterpart(tile: TileModel, others: readonly TileModel[]): TileModel | undefined {
  return (
    others.find(({ id }) => id === tile.id) ??
    others.find(({ name, x, y }) => name === tile.name && x === tile.x && y === tile.y) ??
    others.find(({ name }) => name === tile.name) ??
    others.find(({ x, y, w, h }) => x === tile.x && y === tile.y && w === tile.w && h === tile.h)
  );
}
