import type { JsonObject, JsonValue } from "../core/json.ts";
import { isJsonArray, isJsonObject } from "../core/json.ts";
import type { ResourceKind } from "../core/resource-kind.ts";

/** So many records of a kind are read one by one at most: more would take a rate-limited stack hours. */
export const MAX_SINGLE_READS = 1000;

/** Whether the list has left out of this record what lists of its kind are known to leave out. */
export function isOmittedIn({ listOmits = [] }: ResourceKind, body: JsonObject): boolean {
  return listOmits.some(({ path, when }) => body[path] === undefined && when(body));
}

/** The paths of the members that only the record's own answer has, each once. A member that is null there says nothing more. */
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
    const there = listed[name];
    if (value === undefined || value === null) return [];
    if (there === undefined) return [at];
    return leftOut(value, there, at);
  });
}
