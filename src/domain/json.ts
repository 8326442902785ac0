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
 * An object of the same members, each with what `change` makes of its value; without those of which it makes undefined, or that
 * are undefined already.
 */
export function mapMembers(
  object: JsonObject,
  change: (value: JsonValue, member: string) => JsonValue | undefined,
): JsonObject {
  const changed: Record<string, JsonValue> = {};
  for (const member of Object.keys(object)) {
    const value = object[member];
    const made = value === undefined ? undefined : change(value, member);
    if (made === undefined) continue;
    if (member === "__proto__") definePlainly(changed, member, made);
    else changed[member] = made;
  }
  return changed;
}

/** Assigned to, `__proto__` would become the prototype. Only then, as this takes five times as long. */
function definePlainly(object: Record<string, JsonValue>, member: string, value: JsonValue): void {
  Object.defineProperty(object, member, { value, enumerable: true, writable: true, configurable: true });
}

/**
 * Rebuilds a value with every string passed through `replace`. Members that are undefined are left out.
 * @param replace gets the string and the path to it, as pointer tokens: one array for all calls, to be copied to be kept.
 */
export function mapStrings(value: JsonValue, replace: (text: string, path: readonly string[]) => string): JsonValue {
  const path: string[] = [];
  const inside = (inner: JsonValue, token: string): JsonValue => {
    path.push(token);
    const mapped = map(inner);
    path.pop();
    return mapped;
  };
  const map = (inner: JsonValue): JsonValue => {
    if (typeof inner === "string") return replace(inner, path);
    if (isJsonArray(inner)) return inner.map((item, index) => inside(item, String(index)));
    return isJsonObject(inner) ? mapMembers(inner, inside) : inner;
  };
  return map(value);
}

/** Calls `visit` for every string in a value. @param visit gets the path as `mapStrings` gives it. */
export function visitStrings(value: JsonValue, visit: (text: string, path: readonly string[]) => void): void {
  const path: string[] = [];
  const look = (inner: JsonValue | undefined): void => {
    if (typeof inner === "string") visit(inner, path);
    else if (typeof inner === "object" && inner !== null) {
      for (const [member, each] of Object.entries(inner)) {
        path.push(member);
        look(each);
        path.pop();
      }
    }
  };
  look(value);
}
