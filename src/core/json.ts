import type { z } from "zod";

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** Any member can be undefined, because a stack may leave it out. */
export interface JsonObject {
  readonly [member: string]: JsonValue | undefined;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `Array.isArray` would narrow to `any[]`. */
export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

export function objectsIn(value: JsonValue | undefined): JsonObject[] {
  return isJsonArray(value) ? value.filter(isJsonObject) : [];
}

/** Undefined for inherited names such as `constructor`. */
export function ownMember<Value>(object: Readonly<Record<string, Value>>, member: string): Value | undefined {
  return Object.hasOwn(object, member) ? object[member] : undefined;
}

/** Drops undefined members. Returns `object` itself if nothing changes, which saves memory. */
export function mapMembers(
  object: JsonObject,
  change: (value: JsonValue, member: string) => JsonValue | undefined,
): JsonObject {
  const changed: Record<string, JsonValue> = {};
  let isSame = true;
  for (const member of Object.keys(object)) {
    const value = object[member];
    const newValue = value === undefined ? undefined : change(value, member);
    isSame &&= newValue === value && value !== undefined;
    if (newValue === undefined) continue;
    if (member === "__proto__") definePlainly(changed, member, newValue);
    else changed[member] = newValue;
  }
  return isSame ? object : changed;
}

export function withMembers(object: JsonObject, members: JsonObject): JsonObject {
  return Object.keys(members).every((member) => object[member] === members[member])
    ? object
    : { ...object, ...members };
}

export function mapItems(
  list: readonly JsonValue[],
  change: (item: JsonValue, index: number) => JsonValue,
): readonly JsonValue[] {
  const changed = list.map(change);
  return changed.every((item, index) => item === list[index]) ? list : changed;
}

/** An assignment to `__proto__` would set the prototype. Defining every member would take five times as long. */
function definePlainly(object: Record<string, JsonValue>, member: string, value: JsonValue): void {
  Object.defineProperty(object, member, { value, enumerable: true, writable: true, configurable: true });
}

/** Returns a value equal to `value`. Equal parts come from `other`, so memory contains them once. */
export function sharedWith(value: JsonValue, other: JsonValue | undefined): JsonValue {
  if (isJsonArray(value) && isJsonArray(other)) {
    const items = value.map((item, index) => sharedWith(item, other[index]));
    return items.length === other.length && items.every((item, index) => item === other[index]) ? other : items;
  }
  if (!isJsonObject(value) || !isJsonObject(other)) return value === other ? other : value;
  const members = mapMembers(value, (inner, member) => sharedWith(inner, ownMember(other, member)));
  const names = Object.keys(other);
  const isEqual = names.length === Object.keys(members).length && names.every((name) => members[name] === other[name]);
  return isEqual ? other : members;
}

/**
 * Shares unchanged parts with the given value.
 * @param replace gets the string and its path as pointer tokens; all calls share one path array
 */
export function mapStrings(value: JsonValue, replace: (text: string, path: readonly string[]) => string): JsonValue {
  const path: string[] = [];
  const mapInside = (inner: JsonValue, token: string): JsonValue => {
    path.push(token);
    const mapped = map(inner);
    path.pop();
    return mapped;
  };
  const map = (inner: JsonValue): JsonValue => {
    if (typeof inner === "string") return replace(inner, path);
    if (isJsonArray(inner)) return mapItems(inner, (item, index) => mapInside(item, String(index)));
    return isJsonObject(inner) ? mapMembers(inner, mapInside) : inner;
  };
  return map(value);
}

/** All calls of `visit` share one path array. */
export function visitStrings(value: JsonValue, visit: (text: string, path: readonly string[]) => void): void {
  const path: string[] = [];
  const visitValue = (inner: JsonValue | undefined): void => {
    if (typeof inner === "string") visit(inner, path);
    else if (typeof inner === "object" && inner !== null) {
      for (const [member, memberValue] of Object.entries(inner)) {
        path.push(member);
        visitValue(memberValue);
        path.pop();
      }
    }
  };
  visitValue(value);
}

export function parseJsonAs<Value>(schema: z.ZodType<Value>, text: string): Value | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return schema.safeParse(value).data;
  } catch {
    return undefined;
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Undefined for invalid bytes, because replacement characters would change a record unnoticed. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Most strings need no escapes and skip `JSON.stringify`, which is slower. */
const NEEDS_ESCAPES = /["\\\p{Cc}\p{Cs}]/u;

/**
 * Sorts the members, so that equal records have equal bytes in an archive (docs/api.md#dashboards).
 * @throws RangeError if values nest deeper than `maxDepth`
 */
export function canonicalJson(value: JsonValue, maxDepth = Number.POSITIVE_INFINITY): string {
  return `${indentedJson(value, "\n", maxDepth)}\n`;
}

export function compactJson(value: JsonValue): string {
  let text = "";
  writeCompactJson(value, (part) => (text += part));
  return text;
}

export function writeCompactJson(value: JsonValue, write: (part: string) => void): void {
  if (typeof value === "string" && value.length > PIECE) return writeLong(value, write);
  if (typeof value !== "object" || value === null) return write(scalarJson(value));
  let between = isJsonArray(value) ? "[" : "{";
  if (isJsonArray(value)) {
    for (const item of value) {
      write(between);
      writeCompactJson(item, write);
      between = ",";
    }
    return write(between === "," ? "]" : "[]");
  }
  for (const name of Object.keys(value).sort()) {
    const inner = value[name];
    if (inner === undefined) continue;
    write(between);
    write(`${scalarJson(name)}:`);
    writeCompactJson(inner, write);
    between = ",";
  }
  return write(between === "," ? "}" : "{}");
}

/** `writeCompactJson` escapes a long string piece by piece, because a string can have 16 MB. */
const PIECE = 16_384;
/** Extends a piece, which must not end inside a surrogate pair or a word of up to 64 characters. */
const UNCUT = /^[\udc00-\udfff]?[\w-]{0,64}/;

function writeLong(text: string, write: (part: string) => void): void {
  write('"');
  for (let from = 0; from < text.length;) {
    const to = from + PIECE;
    const end = to + (UNCUT.exec(text.slice(to, to + 65))?.[0].length ?? 0);
    write(scalarJson(text.slice(from, end)).slice(1, -1));
    from = end;
  }
  write('"');
}

function indentedJson(value: JsonValue, lineEnd: string, depthLeft: number): string {
  if (typeof value !== "object" || value === null) return scalarJson(value);
  if (depthLeft <= 0) throw new RangeError("nested too deep");
  const inner = `${lineEnd}  `;
  let text = "";
  if (isJsonArray(value)) {
    for (const item of value) text += `${text === "" ? "" : ","}${inner}${indentedJson(item, inner, depthLeft - 1)}`;
    return text === "" ? "[]" : `[${text}${lineEnd}]`;
  }
  for (const name of Object.keys(value).sort()) {
    const item = value[name];
    if (item === undefined) continue;
    text += `${text === "" ? "" : ","}${inner}${scalarJson(name)}: ${indentedJson(item, inner, depthLeft - 1)}`;
  }
  return text === "" ? "{}" : `{${text}${lineEnd}}`;
}

function scalarJson(value: string | number | boolean | null): string {
  return typeof value === "string" && !NEEDS_ESCAPES.test(value) ? `"${value}"` : JSON.stringify(value);
}
