import { isJsonArray } from "../domain/json.ts";
import type { JsonValue } from "../domain/json.ts";
import { nestsDeeperThan } from "../domain/json-depth.ts";
import { decodeUtf8 } from "../domain/utf8.ts";

/** A parsed file, or what is wrong with it, told without showing any of it. */
export type DecodedJson =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly problem: string };

/** A text this long can nest so deep that parsing it takes many times its size: then it is looked through first. */
const LONG = 1_000_000;

/** Reads a file of the archive as JSON: UTF-8 without a byte order mark, nested no deeper than `maxDepth`, numbers within range. */
export function decodeJson(bytes: Uint8Array, maxDepth: number): DecodedJson {
  const text = decodeUtf8(bytes);
  if (text === undefined) return { ok: false, problem: "is not UTF-8" };
  const tooDeep = `nests deeper than ${String(maxDepth)} levels`;
  if (text.length > LONG && nestsDeeperThan(text, maxDepth)) return { ok: false, problem: tooDeep };
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which may be confidential.
    return { ok: false, problem: nestsDeeperThan(text, maxDepth) ? tooDeep : "is not JSON" };
  }
  const problem = flawOf(value, maxDepth);
  if (problem === "too deep") return { ok: false, problem: tooDeep };
  return problem === "overflow" ? { ok: false, problem: "holds a number that is too large" } : { ok: true, value };
}

/** `1e999` is JSON, and read as infinity; written again it would have become null without a word. */
function flawOf(value: JsonValue | undefined, depthLeft: number): "too deep" | "overflow" | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "overflow";
  if (typeof value !== "object" || value === null) return undefined;
  if (depthLeft <= 0) return "too deep";
  if (isJsonArray(value)) {
    for (const item of value) {
      const flaw = flawOf(item, depthLeft - 1);
      if (flaw !== undefined) return flaw;
    }
    return undefined;
  }
  // Every value of every archive passes here: an array of an object's values would be made for nothing.
  for (const member in value) {
    const flaw = flawOf(value[member], depthLeft - 1);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
}
