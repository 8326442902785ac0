import { createHash } from "node:crypto";
import type { ManifestEntry } from "../core/manifest.ts";

/** Returns the SHA-256 in hex. A text is hashed as UTF-8. */
export function sha256(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Returns the SHA-256 in hex over the sorted lines `path sha256`, each ended by LF. The order of the entries has no effect. */
export function contentDigest(entries: Iterable<Pick<ManifestEntry, "path" | "sha256">>): string {
  const lines = Array.from(entries, ({ path, sha256 }) => `${path} ${sha256}\n`).sort();
  return sha256(lines.join(""));
}
