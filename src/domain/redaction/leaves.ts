import { isJsonArray, isJsonObject, mapMembers } from "../json.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import { formatPointer } from "../pointer.ts";
import { masked } from "./placeholder.ts";

/** The way to a value inside of a body: names of members and positions in arrays. */
export type Path = readonly (string | number)[];

/** A string or number of a record, and what is said of it around it. */
export interface Leaf {
  readonly value: string | number;
  readonly pointer: string;
  /** Names that could say what it is: of its member and those around, and of the `name` beside a `value`. Innermost first. */
  readonly names: readonly string[];
}

const NAMING: readonly string[] = ["name", "key", "header", "field", "parameter"];
const NAMED = new Set(["value", "values", "val", "content", "defaultValue"]);

/** Whether a member of this name is named by its neighbours. */
export function isNamedBeside(member: string): boolean {
  return NAMED.has(member);
}

/** Whether what a member of this name says of its neighbours is read. */
export function isNaming(member: string): boolean {
  return NAMING.includes(member);
}

/**
 * The names in the shape that lists of headers and variables have: `{ name: "X-Api-Key", value: "…" }`. A placeholder in
 * one says what was there, and nothing of the neighbours.
 */
export function namesBeside(value: JsonObject): string[] {
  return NAMING.flatMap((member) => {
    const name = value[member];
    return typeof name === "string" ? [masked(name)] : [];
  });
}

/** Puts together what there is to say of a string or number. Costs some, so it is for those that may be secrets. */
export function leafAt(body: JsonObject, path: Path, value: string | number): Leaf {
  const names: string[] = [];
  let around: JsonValue | undefined = body;
  for (const token of path) {
    if (isJsonArray(around)) around = around[Number(token)];
    else if (isJsonObject(around) && typeof token === "string") {
      names.unshift(...(isNamedBeside(token) ? namesBeside(around) : []), token);
      around = around[token];
    }
  }
  return { value, pointer: formatPointer(path.map(String)), names };
}

/** What is to be put into a body, as a tree of the ways to it. */
type Changes = Map<string, Changes | JsonValue>;

/**
 * A copy of a body in which other values stand at these paths, all put in at once: one after the other would copy what is around them
 * each time. What is not on the way to one is the same object.
 */
export function withLeaves(body: JsonObject, values: ReadonlyMap<Path, JsonValue>): JsonObject {
  const tree: Changes = new Map();
  for (const [path, value] of values) {
    let at = tree;
    for (const token of path.slice(0, -1)) {
      const known = at.get(String(token));
      const inside: Changes = known instanceof Map ? known : new Map<string, Changes | JsonValue>();
      at.set(String(token), inside);
      at = inside;
    }
    at.set(String(path.at(-1)), value);
  }
  return withMembers(body, tree);
}

function withMembers(value: JsonObject, changes: Changes): JsonObject {
  return mapMembers(value, (inner, member) => changed(inner, changes.get(member)));
}

function changed(value: JsonValue, change: Changes | JsonValue | undefined): JsonValue {
  if (!(change instanceof Map)) return change === undefined ? value : change;
  if (isJsonArray(value)) return value.map((item, index) => changed(item, change.get(String(index))));
  return isJsonObject(value) ? withMembers(value, change) : value;
}
