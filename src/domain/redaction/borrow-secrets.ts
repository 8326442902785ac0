import { isJsonObject } from "../json.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import { valueAtTokens } from "../member-path.ts";
import { withLeaves } from "./leaves.ts";
import type { Path } from "./leaves.ts";
import { findPlaceholders, partsAround } from "./placeholder.ts";

/**
 * The body with what another one has in the places of its placeholders, wherever the text around them is the same: for
 * telling whether two records are equal but for secrets that one of them does not show. Never to be written.
 */
export function borrowSecrets(body: JsonObject, other: JsonObject): JsonObject {
  const borrowed = new Map<Path, JsonValue>();
  for (const { tokens } of findPlaceholders(body)) {
    const theirs = valueAtTokens(other, tokens);
    const ours = valueAtTokens(body, tokens);
    if (theirs !== undefined && typeof ours === "string" && couldBe(ours, theirs)) borrowed.set(tokens, theirs);
  }
  return borrowed.size === 0 ? body : withLeaves(body, borrowed);
}

/** Whether a text with placeholders could have been made of a value: what stands around them is in it, in order. */
function couldBe(text: string, value: JsonValue): boolean {
  const parts = partsAround(text);
  const [first = "", ...rest] = parts;
  // A whole member was taken out: anything but nothing may have been there.
  if (parts.every((part) => part === "")) return value !== null && value !== "" && !isJsonObject(value);
  if (typeof value !== "string" || !value.startsWith(first)) return false;
  const last = rest.pop() ?? "";
  let from = first.length;
  for (const part of rest) {
    const at = value.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return value.length - last.length >= from && value.endsWith(last);
}
