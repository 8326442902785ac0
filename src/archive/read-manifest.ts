import { createHash } from "node:crypto";
import { isJsonArray, isJsonObject } from "../domain/json.ts";
import type { JsonObject, JsonValue } from "../domain/json.ts";
import { createListSplitter } from "../domain/list-splitter.ts";
import { damagedArchive, unknownArchive } from "./archive-errors.ts";
import type { ArchiveLimits } from "./limits.ts";
import { parseManifest } from "./parse-manifest.ts";
import type { ParsedManifest } from "./parse-manifest.ts";
import { unpackPieces } from "./unpack-pieces.ts";
import type { KeptFile } from "./unpack-file.ts";

/** A manifest, and what there is to know of its file. */
export interface ReadManifest extends ParsedManifest {
  /** Size of the file, unpacked. */
  readonly bytes: number;
  /** Of the file, in hex. */
  readonly sha256: string;
}

/** The list that makes a manifest long. */
const LIST = "entries";

/**
 * Reads `manifest.json` piece by piece: of an archive of 50,000 records it has 15 MB, and would be held three times over. Throws
 * `archive-unknown` for what never was a manifest of ours or is a later version's, and `archive-damaged` for one that does not
 * hold together.
 */
export async function readManifest(file: KeptFile, limits: ArchiveLimits): Promise<ReadManifest> {
  const splitter = createListSplitter({ member: LIST, maxDepth: limits.maxDepth, refuse: notOurs });
  const hash = createHash("sha256");
  const entries: JsonValue[] = [];
  const take = (piece: Uint8Array): void => {
    for (const { value } of splitter.push(piece)) entries.push(value);
    if (entries.length >= limits.maxEntries)
      throw damagedArchive(`manifest.json: more than ${limits.maxEntries} files`);
  };
  let bytes = 0;
  let problem: unknown;
  for await (const piece of unpackPieces(file)) {
    bytes += piece.length;
    hash.update(piece);
    if (problem !== undefined) continue;
    try {
      take(piece);
    } catch (error) {
      // Only the end of the file tells whether it is as it was written: if not, nothing else is worth a word.
      problem = error;
    }
  }
  if (problem !== undefined) throw problem;
  const parsed = parseManifest(withEntries(rest(splitter.rest()), entries), limits);
  return { ...parsed, bytes, sha256: hash.digest("hex") };
}

function rest(text: string): JsonObject {
  try {
    const value: JsonValue = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    // The parser's own message quotes the text, which may be confidential.
    throw notOurs("is not JSON");
  }
}

/** Together with those that were spelled in a way that only `JSON.parse` understands. */
function withEntries(manifest: JsonObject, entries: readonly JsonValue[]): JsonObject {
  const left = manifest[LIST];
  return isJsonArray(left) ? { ...manifest, [LIST]: [...entries, ...left] } : manifest;
}

function notOurs(problem: string): Error {
  return unknownArchive(`manifest.json ${problem}`);
}
