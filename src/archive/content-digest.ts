import { createHash } from "node:crypto";
import type { ManifestEntry } from "../domain/manifest.ts";
import { slices } from "../domain/slices.ts";

type Line = Pick<ManifestEntry, "path" | "sha256">;

/** Lines that are hashed together. */
const AT_ONCE = 1000;

/** sha256 in hex over the sorted `path sha256` lines, each ended by LF: equal content, equal digest, in any order. */
export function contentDigest(entries: Iterable<Line>): string {
  const sorted = [...entries].sort(byLine);
  const hash = createHash("sha256");
  for (const some of slices(sorted, AT_ONCE)) {
    hash.update(some.map(({ path, sha256 }) => `${path} ${sha256}\n`).join(""));
  }
  return hash.digest("hex");
}

/** As the lines sort: no path of an archive has a character that comes before the space after it. */
function byLine(left: Line, right: Line): number {
  if (left.path !== right.path) return left.path < right.path ? -1 : 1;
  return Number(left.sha256 > right.sha256) - Number(left.sha256 < right.sha256);
}
