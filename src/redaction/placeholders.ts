import type { JsonObject, JsonValue } from "../core/json.ts";
import { isJsonObject, visitStrings } from "../core/json.ts";
import { formatPointer, valueAtTokens } from "../core/records/member-path.ts";
import { addressGiven } from "./filling/given-address.ts";
import type { Path } from "./replace-values.ts";
import { withValues } from "./replace-values.ts";

const PLACEHOLDER = /«redacted:([a-z][a-z0-9-]{0,63})»/g;

/** What stands where a secret was. The same rule always gives the same text. */
export function placeholder(rule: string): string {
  return `«redacted:${rule}»`;
}

/** A string of a record that holds placeholders. */
export interface PlaceholderPlace {
  readonly tokens: readonly string[];
  readonly pointer: string;
  /** The rules of its placeholders, in the order in which they stand in the text. */
  readonly rules: readonly string[];
}

/** Whether it is worth looking for placeholders. Hardly any text has one. */
export function mayHoldPlaceholder(text: string): boolean {
  return text.includes("«");
}

/** Whether a text holds a placeholder. */
export function holdsPlaceholder(text: string): boolean {
  return mayHoldPlaceholder(text) && /«redacted:[a-z][a-z0-9-]{0,63}»/.test(text);
}

/** Where a value holds placeholders. Member names are not looked at: nothing is redacted there. */
export function findPlaceholders(value: JsonValue): PlaceholderPlace[] {
  const found: PlaceholderPlace[] = [];
  visitStrings(value, (text, path) => {
    if (!mayHoldPlaceholder(text)) return;
    const rules = rulesIn(text);
    if (rules.length > 0) found.push({ tokens: [...path], pointer: formatPointer(path), rules });
  });
  return found;
}

/** A hostile text has a million, so no match is kept, and each rule's name once. */
function rulesIn(text: string): string[] {
  const names = new Map<string, string>();
  const rules: string[] = [];
  for (const [, rule = ""] of text.matchAll(PLACEHOLDER)) {
    if (!names.has(rule)) names.set(rule, rule);
    rules.push(names.get(rule) ?? rule);
  }
  return rules;
}

/** The text with NUL in the place of every placeholder, so that no rule looks into one, nor takes what follows for its value. */
export function masked(text: string): string {
  return mayHoldPlaceholder(text) ? text.replaceAll(PLACEHOLDER, (mark) => "\0".repeat(mark.length)) : text;
}

/** Where the placeholders of a text are, in their order: one at a time, since a hostile text has a million. */
export function* placeholderSpans(text: string): Generator<{ readonly start: number; readonly end: number }> {
  for (const { index, 0: mark } of text.matchAll(PLACEHOLDER)) yield { start: index, end: index + mark.length };
}

/** The body with values in the places of placeholders, one for each. Values are not searched for placeholders. */
export function fillPlaceholders(
  body: JsonObject,
  values: ReadonlyMap<PlaceholderPlace, readonly string[]>,
): JsonObject {
  const filled = new Map<Path, JsonValue>();
  for (const [place, given] of values) filled.set(place.tokens, fill(body, place, given));
  return filled.size === 0 ? body : withValues(body, filled);
}

function fill(body: JsonObject, { tokens, rules }: PlaceholderPlace, given: readonly string[]): JsonValue {
  const text = valueAtTokens(body, tokens);
  if (typeof text !== "string") return text ?? null;
  const [only = ""] = given;
  if (given.length === 1 && addressGiven(text, only) === "whole") return only;
  const filled = partsAround(text).map((part, index) => part + (given[index] ?? ""));
  const whole = filled.join("");
  const number = Number(whole);
  // It was a number on its own stack, and a server that checks types would refuse a text.
  return rules[0] === "credential-number" && Number.isFinite(number) && whole.trim() !== "" ? number : whole;
}

/**
 * The body with what another one has in the places of its placeholders, wherever the text around them is the same. This tells
 * whether two records are equal but for secrets that one of them does not show. The result is never written.
 */
export function borrowSecrets(body: JsonObject, other: JsonObject): JsonObject {
  const borrowed = new Map<Path, JsonValue>();
  for (const { tokens } of findPlaceholders(body)) {
    const theirs = valueAtTokens(other, tokens);
    const ours = valueAtTokens(body, tokens);
    // What is equal already is not taken apart: a hostile text has a million placeholders.
    if (theirs === undefined || theirs === ours || typeof ours !== "string") continue;
    if (couldBe(ours, theirs)) borrowed.set(tokens, theirs);
  }
  return borrowed.size === 0 ? body : withValues(body, borrowed);
}

/** Whether a text with placeholders could have been made of a value: what stands around them is in it, in order. */
function couldBe(text: string, value: JsonValue): boolean {
  // A whole member was taken out, so anything but nothing may have been there.
  if (text.replaceAll(PLACEHOLDER, "") === "") return value !== null && value !== "" && !isJsonObject(value);
  if (typeof value !== "string") return false;
  let [from, begins] = [0, 0];
  for (const { start, end } of placeholderSpans(text)) {
    const part = text.slice(begins, start);
    const at = begins > 0 ? value.indexOf(part, from) : value.startsWith(part) ? 0 : -1;
    if (at < 0) return false;
    from = at + part.length;
    begins = end;
  }
  const last = text.slice(begins);
  return value.length - last.length >= from && value.endsWith(last);
}

/** The text between the placeholders: one part more than there are placeholders. */
export function partsAround(text: string): string[] {
  return text.split(/«redacted:[a-z][a-z0-9-]{0,63}»/);
}
