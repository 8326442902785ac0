import { isJsonArray, isJsonObject, mapMembers } from "./json.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { EACH, steps, visitValues } from "./visit-paths.ts";
import type { MemberPath } from "./visit-paths.ts";

/** One place that a path leads to: its value, the pointer tokens to it, and the array positions taken on the way. */
export interface Place {
  readonly value: JsonValue;
  readonly tokens: readonly string[];
  readonly indices: readonly number[];
}

/** Every existing place in `body` that `path` leads to. A branch that is missing or of another shape leads nowhere. */
export function placesAt(body: JsonObject, path: MemberPath): Place[] {
  const found: Place[] = [];
  visitValues(body, path, (value, indices) => {
    found.push({ value, tokens: tokensAt(path, indices), indices: [...indices] });
  });
  return found;
}

/** The pointer tokens of the place at `path` where each `[]` takes the given position in turn. */
export function tokensAt(path: MemberPath, indices: readonly number[]): string[] {
  let depth = 0;
  return steps(path).map((step) => (step === EACH ? String(indices[depth++]) : step));
}

/** The value at `path` where each `[]` takes the given position in turn; undefined where there is none. */
export function valueAt(body: JsonObject, path: MemberPath, indices: readonly number[] = []): JsonValue | undefined {
  return valueAtTokens(body, tokensAt(path, indices));
}

/** The value that pointer tokens lead to; undefined where there is none. */
export function valueAtTokens(body: JsonObject, tokens: readonly string[]): JsonValue | undefined {
  return tokens.reduce<JsonValue | undefined>((value, token) => {
    if (isJsonArray(value)) return value[Number(token)];
    return isJsonObject(value) && Object.hasOwn(value, token) ? value[token] : undefined;
  }, body);
}

/** A copy of `body` with the value at `tokens` replaced, or taken out where `value` is undefined. */
export function withValueAt(body: JsonObject, tokens: readonly string[], value: JsonValue | undefined): JsonObject {
  const changed = replaceIn(body, tokens, value);
  return isJsonObject(changed) ? changed : body;
}

/** A copy of `body` without anything that `path` leads to. Array items are never taken out, only members. */
export function withoutPath(body: JsonObject, path: MemberPath): JsonObject {
  const rest = omit(body, steps(path));
  return isJsonObject(rest) ? rest : body;
}

function omit(value: JsonValue, [head, ...rest]: readonly string[]): JsonValue {
  if (head === undefined) return value;
  if (head === EACH) return isJsonArray(value) ? value.map((item) => omit(item, rest)) : value;
  if (!isJsonObject(value) || !Object.hasOwn(value, head)) return value;
  const { [head]: inner, ...others } = value;
  if (rest.length === 0 || inner === undefined) return others;
  return { ...value, [head]: omit(inner, rest) };
}

function replaceIn(value: JsonValue, tokens: readonly string[], replacement: JsonValue | undefined): JsonValue {
  const [head, ...rest] = tokens;
  if (head === undefined) return replacement ?? null;
  if (isJsonArray(value)) {
    return value.map((item, index) => (String(index) === head ? replaceIn(item, rest, replacement) : item));
  }
  if (!isJsonObject(value)) return value;
  const changed = mapMembers(value, (inner, name) => {
    if (name !== head) return inner;
    return rest.length === 0 && replacement === undefined ? undefined : replaceIn(inner, rest, replacement);
  });
  const isNew = !Object.hasOwn(value, head) && rest.length === 0 && replacement !== undefined;
  return isNew ? { ...changed, [head]: replacement } : changed;
}
