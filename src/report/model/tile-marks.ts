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
  for (const member of members) {
    const { pointer, change } = member;
    const tile = tileOf(member, left, right);
    if (tile === undefined) continue;
    const own = change === "removed" ? left : right;
    const below = TILE.exec(pointer)?.[2];
    const whole = below === undefined && (change === "added" || change === "removed");
    const mark = whole ? change : "changed";
    if (!marks.has(tile) || mark !== "changed") marks.set(tile, mark);
    if (whole) continue;
    const other = counterpart(tile, own === left ? right : left);
    if (other !== undefined && !marks.has(other)) marks.set(other, "changed");
  }
  return marks;
}

/** The tile that a member is, or is part of. */
export function tileOf(
  { pointer, change }: Pick<MemberChange, "pointer" | "change">,
  left: readonly TileModel[],
  right: readonly TileModel[],
): TileModel | undefined {
  const index = TILE.exec(pointer)?.[1];
  return index === undefined ? undefined : (change === "removed" ? left : right)[Number(index)];
}

function counterpart(tile: TileModel, others: readonly TileModel[]): TileModel | undefined {
  return (
    others.find(({ id }) => id === tile.id) ??
    others.find(({ name, x, y }) => name === tile.name && x === tile.x && y === tile.y) ??
    others.find(({ name }) => name === tile.name) ??
    others.find(({ x, y, w, h }) => x === tile.x && y === tile.y && w === tile.w && h === tile.h)
  );
}
