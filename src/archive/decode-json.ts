import type { JsonValue } from "../domain/json.ts";
import { nestsDeeperThan } from "../domain/json-depth.ts";

/** A parsed file, or what is wrong with it, told without showing any of it. */
export type DecodedJson =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly problem: string };

/** Reads a file of the archive as JSON: UTF-8 without a byte order mark, nested no deeper than `maxDepth`, numbers within range. */
export function decodeJson(bytes: Uint8Array, maxDepth: number): DecodedJson {
  const text = decodeText(bytes);
  if (text === undefined) return { ok: false, problem: "is not UTF-8" };
  if (nestsDeeperThan(text, maxDepth)) return { ok: false, problem: `nests deeper than ${String(maxDepth)} levels` };
  try {
    const value: JsonValue = JSON.parse(text);
    return overflows(value) ? { ok: false, problem: "holds a number that is too large" } : { ok: true, value };
  } catch {
    // The parser's own message quotes the text, which may be confidential.
    return { ok: false, problem: "is not JSON" };
  }
}

/** `1e999` is JSON, and read as infinity; written again it would have become null without a word. */
function overflows(value: JsonValue): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some((inner) => inner !== undefined && overflows(inner));
}

function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
