import { StackferryError } from "../core/errors.ts";
import type { KindName, StackRecord } from "../core/records/record.ts";
import type { ResourceKind, IdSpace, FindRecord } from "../core/resource-kind.ts";
import { alerts } from "./alerts.ts";
import { connections } from "./connections.ts";
import { dashboards } from "./dashboards.ts";
import { pipes } from "./pipes.ts";
import { savedSearches } from "./saved-searches.ts";
import { sources } from "./sources.ts";
import { webhooks } from "./webhooks.ts";

/** Every kind, after the kinds that it references: the order of creates and of listings. Deletes go the other way. */
export const kinds: readonly ResourceKind[] = [
  connections,
  sources,
  webhooks,
  savedSearches,
  dashboards,
  alerts,
  pipes,
];

/** The kinds that an import creates only if `--create` names them; otherwise it only matches their records. */
export const kindsOnRequest: readonly ResourceKind[] = kinds.filter(
  ({ importPolicy }) => importPolicy.when === "on-request",
);

export function findKind(name: KindName): ResourceKind | undefined {
  return kinds.find((kind) => kind.name === name);
}

/** Returns the kind of a record that was read or planned: the kind of such a record is always known. */
export function knownKind(name: KindName): ResourceKind {
  const kind = findKind(name);
  if (kind === undefined) throw new StackferryError("archive-unknown", `records of the kind "${name}" are not known`);
  return kind;
}

/** Sorts items by kind in the order of the registry, unknown kinds last. Items of one kind keep their order. */
export function inKindOrder<Item>(items: readonly Item[], kindOf: (item: Item) => KindName): Item[] {
  const place = (item: Item): number => places.get(kindOf(item)) ?? places.size;
  return items.toSorted((left, right) => place(left) - place(right));
}

/** The kinds that people look for, in the order in which a page shows them. The kinds that these depend on follow. */
const READING_ORDER: readonly KindName[] = ["dashboards", "alerts", "saved-searches"];

export function inReadingOrder<Item>(items: readonly Item[], kindOf: (item: Item) => KindName): Item[] {
  const place = (item: Item): number => {
    const at = READING_ORDER.indexOf(kindOf(item));
    return at < 0 ? READING_ORDER.length : at;
  };
  return inKindOrder(items, kindOf).toSorted((left, right) => place(left) - place(right));
}

const places = new Map(kinds.map(({ name }, index) => [name, index]));

/** Tells whether records of any of the kinds can reference records of this kind. */
export function isReferenced({ name }: ResourceKind, kinds: readonly ResourceKind[]): boolean {
  return kinds.some(({ references }) => references.some(({ to }) => to === name));
}

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

/** Maximum number of unnamed records that get a display name, which needs the body; nobody reads a longer list. */
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
