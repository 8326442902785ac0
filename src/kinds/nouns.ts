import type { KindName, NamedRecord } from "../core/records/record.ts";
import type { IdSpace } from "../core/resource-kind.ts";
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

/** Names a record in a sentence, by its id if it has no name: `the alert "Busy"`. */
export function nameOfRecord({ kind, name, id }: NamedRecord): string {
  return `the ${nounOf(kind)} "${name || id}"`;
}

/** Builds a code that names an id space: `missing-saved-search`. */
export function codeForIdSpace(prefix: string, space: IdSpace): string {
  return `${prefix}-${nounOf(space).replaceAll(" ", "-")}`;
}
