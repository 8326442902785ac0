import { objectsIn, type JsonObject } from "../core/json.ts";
import { labelOf, labelOfChild, type KindName, type NamedRecord } from "../core/records/record.ts";
import type { ChildIds, IdSpace } from "../core/resource-kind.ts";
import { findKind } from "./registry.ts";

/** Id spaces that are not kinds: children of records. */
const OTHER_SPACES: ReadonlyMap<IdSpace, string> = new Map([
  ["dashboards/tiles", "tile"],
  ["dashboards/filters", "filter"],
]);

/** Returns the noun for an id space, for people: `source`, `tile`, `saved search`. */
export function nounOf(space: IdSpace): string {
  return findKind(space)?.singular ?? OTHER_SPACES.get(space) ?? space;
}

/** Returns the plural noun for a kind, for people: `saved searches`. */
export function pluralOf(kind: KindName): string {
  return kind.replaceAll("-", " ");
}

/** Names a record in a sentence: `the alert "Busy"`, or `the alert "on Latency (Checkout)"` if it has no name. */
export function nameOfRecord(record: NamedRecord): string {
  return `the ${nounOf(record.kind)} "${labelOf(record)}"`;
}

/** Returns what people call a child of a record: its name, or its number, as in `tile 2`. */
export function nameOfChild({ member, space, nameOf }: ChildIds, owner: JsonObject, child: JsonObject): string {
  return labelOfChild(nounOf(space), nameOf(child), objectsIn(owner[member]).indexOf(child));
}
