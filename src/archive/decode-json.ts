import type { JsonValue } from "../core/json.ts";
import { decodeUtf8, isJsonArray, nestsDeeperThan } from "../core/json.ts";

/** A parsed file, or the problem without any of the content. */
export type DecodedJson =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly isJson: boolean; readonly problem: string };

/** A text this long can nest so deep that parsing it takes many times its size: then its brackets are counted first. */
const LONG = 1_000_000;

/** Reads a file of the archive as JSON: UTF-8 without a byte order mark, nested no deeper than `maxDepth`, numbers within range. */
export function decodeJson(bytes: Uint8Array, maxDepth: number): DecodedJson {
  const text = decodeUtf8(bytes);
  if (text === undefined) return { ok: false, isJson: false, problem: "is not UTF-8" };
  const tooDeep = { ok: false, isJson: false, problem: `nests deeper than ${String(maxDepth)} levels` } as const;
  if (text.length > LONG && nestsDeeperThan(text, maxDepth)) return tooDeep;
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which may be confidential.
    return nestsDeeperThan(text, maxDepth) ? tooDeep : { ok: false, isJson: false, problem: "is not JSON" };
  }
  const flaw = flawOf(value, maxDepth);
  if (flaw === "too deep") return tooDeep;
  if (flaw === "overflow") return { ok: false, isJson: true, problem: "holds a number that is too large" };
  return { ok: true, value };
}

/** `1e999` is JSON, and read as infinity; written again it would have become null silently. */
function flawOf(value: JsonValue | undefined, depthLeft: number): "too deep" | "overflow" | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "overflow";
  if (typeof value !== "object" || value === null) return undefined;
  if (depthLeft <= 0) return "too deep";
  for (const inner of isJsonArray(value) ? value : Object.values(value)) {
    const flaw = flawOf(inner, depthLeft - 1);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
}
