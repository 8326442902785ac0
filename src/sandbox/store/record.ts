/** A record as stored: `GET` may return less of it, or other values. */
export interface SandboxRecord {
  readonly id: string;
  readonly [member: string]: unknown;
}

/** Any JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Tells whether `value` is a JSON object (not null, not an array). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The record without some of its members. */
export function without(record: JsonObject, members: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([member]) => !members.includes(member)));
}

/** The ids of the records in `value`; none if it is not an array of records. */
export function idsIn(value: unknown): ReadonlySet<string> {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return new Set(items.filter(isObject).flatMap((item) => (typeof item["id"] === "string" ? [item["id"]] : [])));
}
