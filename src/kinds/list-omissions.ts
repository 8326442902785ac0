import type { JsonObject, JsonValue } from "../core/json.ts";
import { isJsonArray, isJsonObject } from "../core/json.ts";
import type { ResourceKind } from "../core/resource-kind.ts";

/** At most this many records of a kind are read one by one: more would take hours on a rate-limited stack. */
export const MAX_SINGLE_READS = 1000;

/** Tells whether the list left out a member of this record that lists of its kind are known to omit. */
export function isOmittedIn({ listOmits = [] }: ResourceKind, body: JsonObject): boolean {
  return listOmits.some(({ path, when }) => body[path] === undefined && when(body));
}

/** Returns the paths of members that only the record's own answer has, each once. A null there does not count. */
export function membersLeftOut(single: JsonValue, listed: JsonValue): string[] {
  return [...new Set(leftOut(single, listed, ""))];
}

function leftOut(single: JsonValue, listed: JsonValue, path: string): string[] {
  if (isJsonArray(single) && isJsonArray(listed)) {
    const items = single
      .slice(0, listed.length)
      .flatMap((item, index) => leftOut(item, listed[index] ?? null, `${path}[]`));
    return single.length > listed.length ? [...items, `${path}[]`] : items;
  }
  if (!isJsonObject(single) || !isJsonObject(listed)) return [];
  return Object.entries(single).flatMap(([name, value]) => {
    const at = path === "" ? name : `${path}.${name}`;
    const listedValue = listed[name];
    if (value === undefined || value === null) return [];
    if (listedValue === undefined) return [at];
    return leftOut(value, listedValue, at);
  });
}
