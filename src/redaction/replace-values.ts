import type { JsonObject, JsonValue } from "../core/json.ts";
import { isJsonArray, isJsonObject, mapMembers } from "../core/json.ts";

/** The path to a value in a body: member names and array positions. */
export type Path = readonly (string | number)[];

type Changes = Map<string, Changes | JsonValue>;

/**
 * Copies a body with other values at the given paths. All are replaced in one pass, because each replacement copies the objects
 * around it. The copy shares everything else with the original.
 */
export function withValues(body: JsonObject, values: ReadonlyMap<Path, JsonValue>): JsonObject {
  const tree: Changes = new Map();
  for (const [path, value] of values) {
    let branch = tree;
    for (const token of path.slice(0, -1)) {
      const changesInside = branch.get(String(token));
      const childChanges: Changes =
        changesInside instanceof Map ? changesInside : new Map<string, Changes | JsonValue>();
      branch.set(String(token), childChanges);
      branch = childChanges;
    }
    branch.set(String(path.at(-1)), value);
  }
  return withMembers(body, tree);
}

function withMembers(value: JsonObject, changes: Changes): JsonObject {
  return mapMembers(value, (content, member) => changed(content, changes.get(member)));
}

function changed(value: JsonValue, change: Changes | JsonValue | undefined): JsonValue {
  if (!(change instanceof Map)) return change === undefined ? value : change;
  if (isJsonArray(value)) return value.map((item, index) => changed(item, change.get(String(index))));
  return isJsonObject(value) ? withMembers(value, change) : value;
}
