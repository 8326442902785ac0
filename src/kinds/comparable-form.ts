import { isJsonArray, isJsonObject } from "../domain/json.ts";
import type { JsonObject, JsonValue } from "../domain/json.ts";

/**
 * Takes out what a server may or may not write down without a difference in meaning: the given defaults, nulls and empty
 * arrays, at any depth. Comparing two bodies in this form ignores the defaults a server adds and keeps everything else.
 */
export function withoutDefaults(body: JsonObject, defaults: Readonly<Record<string, JsonValue>>): JsonObject {
  const entries: [string, JsonValue][] = [];
  for (const [member, value] of Object.entries(body)) {
    if (value === undefined || value === null) continue;
    if (isJsonArray(value) && value.length === 0) continue;
    if (Object.hasOwn(defaults, member) && defaults[member] === value) continue;
    entries.push([member, strip(value, defaults)]);
  }
  return Object.fromEntries(entries);
}

function strip(value: JsonValue, defaults: Readonly<Record<string, JsonValue>>): JsonValue {
  if (isJsonArray(value)) return value.map((item) => strip(item, defaults));
  return isJsonObject(value) ? withoutDefaults(value, defaults) : value;
}
