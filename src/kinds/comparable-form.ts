import { isJsonArray, isJsonObject, mapMembers } from "../domain/json.ts";
import type { JsonObject, JsonValue } from "../domain/json.ts";

/**
 * Takes out what a server may or may not write down without a difference in meaning: the given defaults, nulls and empty
 * arrays, at any depth. Comparing two bodies in this form ignores the defaults a server adds and keeps everything else.
 */
export function withoutDefaults(body: JsonObject, defaults: Readonly<Record<string, JsonValue>>): JsonObject {
  return mapMembers(body, (value, member) => {
    if (value === null || (isJsonArray(value) && value.length === 0)) return undefined;
    const isDefault = Object.hasOwn(defaults, member) && defaults[member] === value;
    return isDefault ? undefined : strip(value, defaults);
  });
}

function strip(value: JsonValue, defaults: Readonly<Record<string, JsonValue>>): JsonValue {
  if (isJsonArray(value)) return value.map((item) => strip(item, defaults));
  return isJsonObject(value) ? withoutDefaults(value, defaults) : value;
}
