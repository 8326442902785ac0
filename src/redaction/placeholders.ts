import { isJsonObject, visitStrings, isJsonArray, mapMembers, type JsonObject, type JsonValue } from "../core/json.ts";
import { formatPointer, valueAtTokens } from "../core/records/member-path.ts";
import { PLACEHOLDER_PATTERN } from "../core/secrets.ts";

export function placeholderOfRule(rule: string): string {
  return `«redacted:${rule}»`;
}

export interface PlaceholderPlace {
  readonly tokens: readonly string[];
  readonly pointer: string;
  readonly rules: readonly string[];
}

function mayHoldPlaceholder(text: string): boolean {
  return text.includes("«");
}

export function holdsPlaceholder(text: string): boolean {
  return mayHoldPlaceholder(text) && text.search(PLACEHOLDER_PATTERN) >= 0;
}

/** Searches no names of members, because redaction never changes names. */
export function findPlaceholders(value: JsonValue): PlaceholderPlace[] {
  const places: PlaceholderPlace[] = [];
  visitStrings(value, (text, path) => {
    if (!mayHoldPlaceholder(text)) return;
    const rules = rulesIn(text);
    if (rules.length > 0) places.push({ tokens: [...path], pointer: formatPointer(path), rules });
  });
  return places;
}

/** Equal rules share one string, because a hostile text can have a million placeholders. */
function rulesIn(text: string): string[] {
  const names = new Map<string, string>();
  const rules: string[] = [];
  for (const [, rule = ""] of text.matchAll(PLACEHOLDER_PATTERN)) {
    if (!names.has(rule)) names.set(rule, rule);
    rules.push(names.get(rule) ?? rule);
  }
  return rules;
}

/** Each character of a placeholder becomes a NUL, which `secretParts` leaves out. */
export function maskPlaceholders(text: string): string {
  return mayHoldPlaceholder(text) ? text.replaceAll(PLACEHOLDER_PATTERN, (mark) => "\0".repeat(mark.length)) : text;
}

/** A generator, because a hostile text can have a million placeholders. */
export function* placeholderSpans(text: string): Generator<{ readonly start: number; readonly end: number }> {
  for (const { index, 0: mark } of text.matchAll(PLACEHOLDER_PATTERN)) yield { start: index, end: index + mark.length };
}

export function fillPlaceholders(
  body: JsonObject,
  values: ReadonlyMap<PlaceholderPlace, readonly string[]>,
): JsonObject {
  const filledValues = new Map<ValuePath, JsonValue>();
  for (const [place, placeValues] of values) filledValues.set(place.tokens, fill(body, place, placeValues));
  return filledValues.size === 0 ? body : setValues(body, filledValues);
}

function fill(body: JsonObject, { tokens, rules }: PlaceholderPlace, values: readonly string[]): JsonValue {
  const text = valueAtTokens(body, tokens);
  if (typeof text !== "string") return text ?? null;
  const filledParts = partsAroundPlaceholders(text).map((part, index) => part + (values[index] ?? ""));
  const filledText = filledParts.join("");
  const number = Number(filledText);
  // The rule replaced a number, and a server that checks types would reject a string.
  return rules[0] === "credential-number" && Number.isFinite(number) && filledText.trim() !== "" ? number : filledText;
}

export function borrowSecrets(body: JsonObject, otherBody: JsonObject): JsonObject {
  const borrowedValues = new Map<ValuePath, JsonValue>();
  for (const { tokens } of findPlaceholders(body)) {
    const otherText = valueAtTokens(otherBody, tokens);
    const text = valueAtTokens(body, tokens);
    // Equal texts are skipped, because comparing parts is slow for a hostile text with a million placeholders.
    if (otherText === undefined || otherText === text || typeof text !== "string") continue;
    if (couldBe(text, otherText)) borrowedValues.set(tokens, otherText);
  }
  return borrowedValues.size === 0 ? body : setValues(body, borrowedValues);
}

function couldBe(text: string, value: JsonValue): boolean {
  // Here, the text consists of placeholders, which can replace a number or a list, too.
  if (text.replaceAll(PLACEHOLDER_PATTERN, "") === "") return value !== null && value !== "" && !isJsonObject(value);
  if (typeof value !== "string") return false;
  let [from, partStart] = [0, 0];
  for (const { start, end } of placeholderSpans(text)) {
    const part = text.slice(partStart, start);
    const position = partStart > 0 ? value.indexOf(part, from) : value.startsWith(part) ? 0 : -1;
    if (position < 0) return false;
    from = position + part.length;
    partStart = end;
  }
  const lastPart = text.slice(partStart);
  return value.length - lastPart.length >= from && value.endsWith(lastPart);
}

export function partsAroundPlaceholders(text: string): string[] {
  return text.split(/«redacted:[a-z][a-z0-9-]{0,63}»/);
}

export type ValuePath = readonly (string | number)[];

type Changes = Map<string, Changes | JsonValue>;

/** One pass sets all values: a pass for each value would copy the enclosing objects again and again. */
export function setValues(body: JsonObject, values: ReadonlyMap<ValuePath, JsonValue>): JsonObject {
  const tree: Changes = new Map();
  for (const [path, value] of values) {
    let branch = tree;
    for (const token of path.slice(0, -1)) {
      const changesInside = branch.get(String(token));
      const childChanges: Changes =
        changesInside instanceof Map ? changesInside : new Map<string, Changes | JsonValue>();
      branch.set(String(token), childChanges);
      branch = childChanges;
    }
    branch.set(String(path.at(-1)), value);
  }
  return withMembers(body, tree);
}

function withMembers(value: JsonObject, changes: Changes): JsonObject {
  return mapMembers(value, (content, member) => changed(content, changes.get(member)));
}

function changed(value: JsonValue, change: Changes | JsonValue | undefined): JsonValue {
  if (!(change instanceof Map)) return change === undefined ? value : change;
  if (isJsonArray(value)) return value.map((item, index) => changed(item, change.get(String(index))));
  return isJsonObject(value) ? withMembers(value, change) : value;
}
