import { isJsonArray, isJsonObject } from "../json.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import { formatPointer } from "../pointer.ts";

/** A string or number of a record, and what is said of it around it. */
export interface Leaf {
  readonly value: string | number;
  readonly pointer: string;
  /** Names that could say what it is: of its member and those around, and of the `name` beside a `value`. Innermost first. */
  readonly names: readonly string[];
}

const NAMING = ["name", "key", "header", "field", "parameter"] as const;
const NAMED = new Set(["value", "values", "val", "content", "defaultValue"]);

/** Every string and number of a value. */
export function leavesOf(value: JsonValue): Leaf[] {
  const leaves: Leaf[] = [];
  collect(value, "", [], leaves);
  return leaves;
}

function collect(value: JsonValue, pointer: string, names: readonly string[], leaves: Leaf[]): void {
  if (typeof value === "string" || typeof value === "number") {
    leaves.push({ value, pointer, names });
  } else if (isJsonArray(value)) {
    for (const [index, item] of value.entries()) collect(item, `${pointer}/${index}`, names, leaves);
  } else if (isJsonObject(value)) {
    // The shape that lists of headers and variables have: { name: "X-Api-Key", value: "…" }.
    const named = NAMING.flatMap((member) => (typeof value[member] === "string" ? [value[member]] : []));
    for (const [member, inner] of Object.entries(value)) {
      if (inner === undefined) continue;
      const more = NAMED.has(member) ? named : [];
      collect(inner, pointer + formatPointer([member]), [...more, member, ...names], leaves);
    }
  }
}

/** A copy of a body in which the leaves at these pointers have other values. Everything else keeps its shape and order. */
export function withLeaves(body: JsonObject, changes: ReadonlyMap<string, string | number>): JsonObject {
  if (changes.size === 0) return body;
  const rebuild = (value: JsonValue, pointer: string): JsonValue => {
    if (typeof value === "string" || typeof value === "number") return changes.get(pointer) ?? value;
    if (isJsonArray(value)) return value.map((item, index) => rebuild(item, `${pointer}/${index}`));
    if (!isJsonObject(value)) return value;
    return rebuildObject(value, pointer);
  };
  const rebuildObject = (value: JsonObject, pointer: string): JsonObject =>
    Object.fromEntries(
      Object.entries(value).flatMap(([member, inner]) =>
        inner === undefined ? [] : [[member, rebuild(inner, pointer + formatPointer([member]))]],
      ),
    );
  return rebuildObject(body, "");
}
