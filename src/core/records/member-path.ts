import { getOrMake } from "../collections.ts";
import {
  isJsonArray,
  isJsonObject,
  mapItems,
  mapMembers,
  ownMember,
  type JsonObject,
  type JsonValue,
} from "../json.ts";

/** Names joined by dots, `[]` for each item of an array: `filters[].appliesToSourceIds[]`. */
export type MemberPath = string;

const EACH = "[]";

export interface MemberPlace {
  readonly value: JsonValue;
  readonly tokens: readonly string[];
  readonly indices: readonly number[];
}

export function placesAt(body: JsonObject, path: MemberPath): MemberPlace[] {
  const places: MemberPlace[] = [];
  visitValues(body, path, (value, indices) => {
    places.push({ value, tokens: tokensAt(path, indices), indices: [...indices] });
  });
  return places;
}

export function tokensAt(path: MemberPath, indices: readonly number[]): string[] {
  let depth = 0;
  return stepsOf(path).map((step) => (step === EACH ? String(indices[depth++]) : step));
}

/** `tiles`, `0`, `config` → `tiles[].config`. */
export function memberPathOf(tokens: readonly string[]): MemberPath {
  let path = "";
  for (const token of tokens) path += /^\d+$/.test(token) ? EACH : path === "" ? token : `.${token}`;
  return path;
}

export function valueAt(body: JsonObject, path: MemberPath, indices: readonly number[] = []): JsonValue | undefined {
  return valueAtTokens(body, tokensAt(path, indices));
}

export function valueAtTokens(body: JsonObject, tokens: readonly string[]): JsonValue | undefined {
  return tokens.reduce<JsonValue | undefined>((value, token) => {
    if (isJsonArray(value)) return value[Number(token)];
    return isJsonObject(value) ? ownMember(value, token) : undefined;
  }, body);
}

/** An undefined `value` removes a member and makes an array item null. A missing parent changes nothing. */
export function withValueAt(body: JsonObject, tokens: readonly string[], value: JsonValue | undefined): JsonObject {
  const changed = replaceIn(body, tokens, value);
  return isJsonObject(changed) ? changed : body;
}

/** Array items are never removed. */
export function withoutPath(body: JsonObject, path: MemberPath): JsonObject {
  const rest = omit(body, stepsOf(path));
  return isJsonObject(rest) ? rest : body;
}

function omit(value: JsonValue, [head, ...rest]: readonly string[]): JsonValue {
  if (head === undefined) return value;
  if (head === EACH) return isJsonArray(value) ? mapItems(value, (item) => omit(item, rest)) : value;
  if (!isJsonObject(value) || !Object.hasOwn(value, head)) return value;
  const { [head]: inner, ...others } = value;
  if (rest.length === 0 || inner === undefined) return others;
  const reduced = omit(inner, rest);
  return reduced === inner ? value : { ...value, [head]: reduced };
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

/** `indices` is only valid during the call. */
export function visitValues(
  body: JsonObject,
  path: MemberPath,
  visit: (value: JsonValue, indices: readonly number[]) => void,
): void {
  const steps = stepsOf(path);
  const indices: number[] = [];
  const walkPath = (value: JsonValue | undefined, at: number, depth: number): void => {
    const step = steps[at];
    if (value === undefined) return;
    if (step === undefined) visit(value, indices);
    else if (step !== EACH) {
      if (isJsonObject(value)) walkPath(ownMember(value, step), at + 1, depth);
    } else if (isJsonArray(value)) {
      for (let index = 0; index < value.length; index += 1) {
        // A new array for each place would be slow.
        indices[depth] = index;
        walkPath(value[index], at + 1, depth + 1);
      }
    }
  };
  walkPath(body, 0, 0);
}

const cachedSteps = new Map<MemberPath, readonly string[]>();

function stepsOf(path: MemberPath): readonly string[] {
  return getOrMake(cachedSteps, path, () =>
    path.split(".").flatMap((part) => (part.endsWith(EACH) ? [part.slice(0, -EACH.length), EACH] : [part])),
  );
}

export function formatPointer(tokens: readonly string[]): string {
  let pointer = "";
  for (const token of tokens) pointer += `/${/[~/]/.test(token) ? escapeToken(token) : token}`;
  return pointer;
}

function escapeToken(token: string): string {
  return token.replaceAll("~", "~0").replaceAll("/", "~1");
}

export function parsePointer(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}
