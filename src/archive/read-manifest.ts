import { createHash, randomUUID } from "node:crypto";
import { isJsonArray, isJsonObject } from "../domain/json.ts";
import type { JsonObject, JsonValue } from "../domain/json.ts";
import { createListSplitter } from "../domain/list-splitter.ts";
import { unknownArchive } from "./archive-errors.ts";
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
  const { maxDepth, maxEntries } = limits;
  const mark = randomUUID();
  const splitter = createListSplitter({
    member: LIST,
    maxDepth,
    most: maxEntries,
    mark: JSON.stringify(mark),
    refuse: notOurs,
  });
  const hash = createHash("sha256");
  const entries: JsonValue[] = [];
  let bytes = 0;
  let problem: unknown;
  for await (const piece of unpackPieces(file)) {
    bytes += piece.length;
    hash.update(piece);
    if (problem !== undefined) continue;
    try {
      for (const { value } of splitter.push(piece)) entries.push(value);
    } catch (error) {
      // Only the end of the file tells whether it is as it was written: if not, nothing else is worth a word.
      problem = error;
    }
  }
  if (problem !== undefined) throw problem;
  const rest = splitter.rest();
  const around = parsed(rest);
  const json = rest.includes(mark) ? withEntries(around, mark, entries) : around;
  return { ...parseManifest(json, limits), bytes, sha256: hash.digest("hex") };
}

function parsed(text: string): JsonObject {
  try {
    const value: JsonValue = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    // The parser's own message quotes the text, which may be confidential.
    throw notOurs("is not JSON");
  }
}

/** Puts the list back where it was taken from. Another of its name, however that is spelled, would be what others read. */
function withEntries(manifest: JsonObject, mark: string, entries: readonly JsonValue[]): JsonObject {
  const left = manifest[LIST];
  if (!isJsonArray(left) || left.length !== 1 || left[0] !== mark) throw notOurs(`has "${LIST}" twice`);
  return { ...manifest, [LIST]: entries };
}

function notOurs(problem: string): Error {
  return unknownArchive(`manifest.json ${problem}`);
}
