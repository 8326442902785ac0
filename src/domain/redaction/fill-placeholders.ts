import type { JsonObject, JsonValue } from "../json.ts";
import { valueAtTokens } from "../member-path.ts";
import { withLeaves } from "./leaves.ts";
import type { Path } from "./leaves.ts";
import { findPlaceholders, partsAround } from "./placeholder.ts";
import type { PlaceholderPlace } from "./placeholder.ts";

/** What takes the place of placeholders, by JSON pointer: one value for each placeholder of the text, in their order. */
export type FillValues = Readonly<Record<string, readonly string[]>>;

/** A body with placeholders filled in, and the pointers of values that found none, or another number of them. */
export interface Filled {
  readonly body: JsonObject;
  readonly unused: readonly string[];
}

/** Fills placeholders in. Of a text that holds more, only the placeholders are replaced. Values are not searched for placeholders. */
export function fillPlaceholders(body: JsonObject, values: FillValues): Filled {
  const places = new Map(findPlaceholders(body).map((place) => [place.pointer, place]));
  const unused: string[] = [];
  const filled = new Map<Path, JsonValue>();
  for (const [pointer, given] of Object.entries(values)) {
    const place = places.get(pointer);
    if (place && place.rules.length === given.length) filled.set(place.tokens, fill(body, place, given));
    else unused.push(pointer);
  }
  return { body: filled.size === 0 ? body : withLeaves(body, filled), unused };
}

function fill(body: JsonObject, { tokens, rules }: PlaceholderPlace, given: readonly string[]): JsonValue {
  const text = valueAtTokens(body, tokens);
  if (typeof text !== "string") return text ?? null;
  const filled = partsAround(text).map((part, index) => part + (given[index] ?? ""));
  const whole = filled.join("");
  const number = Number(whole);
  // It was a number on its own stack, and a server that checks types would refuse a text.
  return rules[0] === "credential-number" && Number.isFinite(number) && whole.trim() !== "" ? number : whole;
}
