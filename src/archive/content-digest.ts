import { createHash } from "node:crypto";
import type { ManifestEntry } from "../domain/manifest.ts";

/** sha256 in hex over the sorted `path sha256` lines, each ended by LF: equal content, equal digest, in any order. */
export function contentDigest(entries: Iterable<Pick<ManifestEntry, "path" | "sha256">>): string {
  const lines = [...entries].map(({ path, sha256 }) => `${path} ${sha256}\n`).sort();
  return createHash("sha256").update(lines.join("")).digest("hex");
}
