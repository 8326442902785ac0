/** A JSON value as parsed. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. Members are optional by nature: a stack may leave out any of them. */
export interface JsonObject {
  readonly [member: string]: JsonValue | undefined;
}

/** True for a JSON object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for a JSON array. `Array.isArray` alone loses the readonly element type. */
export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/**
 * Rebuilds a value with every string passed through `replace`. Members that are undefined are left out.
 * `Object.fromEntries` defines members instead of assigning them, so a member called `__proto__` stays a plain member.
 * @param replace gets the string and the path to it, as pointer tokens.
 */
export function mapStrings(
  value: JsonValue,
  replace: (text: string, path: readonly string[]) => string,
  path: readonly string[] = [],
): JsonValue {
  if (typeof value === "string") return replace(value, path);
  if (isJsonArray(value)) return value.map((item, index) => mapStrings(item, replace, [...path, String(index)]));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([member, inner]) =>
      inner === undefined ? [] : [[member, mapStrings(inner, replace, [...path, member])]],
    ),
  );
}
