import type { KindName, StackRecord } from "../core/records/record.ts";
import type { IdSpace, FindRecord } from "../core/resource-kind.ts";
import { findKind, kinds } from "./registry.ts";

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
export function nameOfRecord({ kind, name, id }: Pick<StackRecord, "kind" | "name" | "id">): string {
  return `the ${nounOf(kind)} "${name || id}"`;
}

/** Builds a code that names an id space: `missing-saved-search`. */
export function codeOf(prefix: string, space: IdSpace): string {
  return `${prefix}-${nounOf(space).replaceAll(" ", "-")}`;
}

/** Lists the id spaces that a map file may name. */
export function mappableSpaces(): IdSpace[] {
  return kinds.filter(({ listing }) => listing !== "by-id").map(({ name }) => name);
}

/** Lists the members whose text a map file may replace in records of an id space; most id spaces have none. */
export function mappedMembersOf(space: IdSpace): readonly string[] {
  return findKind(space)?.mappedMembers ?? [];
}

/**
 * Maximum number of unnamed records that get a display name, because a display name is read from the record's body. Nobody reads a
 * longer list.
 */
export const MAX_DISPLAY_NAMES = 1000;

/** Returns the display name of a record: its name, or a name derived from what it references. Empty if there is neither. */
export function displayNameOf({ kind, name, body }: StackRecord, find: FindRecord): string {
  return name.trim() === "" ? (findKind(kind)?.displayName?.(body, find) ?? "") : name;
}

/** Returns the display name of an unnamed record as a member to add; nothing for a record with a name. */
export function displayNameMember(record: StackRecord, find: FindRecord): { readonly displayName?: string } {
  const displayName = record.name.trim() === "" ? displayNameOf(record, find) : "";
  return displayName === "" ? {} : { displayName };
}
