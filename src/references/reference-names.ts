import type { MemberChange } from "../core/diff.ts";
import type { JsonObject, JsonValue } from "../core/json.ts";
import { valueAtTokens } from "../core/records/member-path.ts";
import { splitKey, type RecordKey } from "../core/records/record.ts";
import type { FindRecord, ResourceKind } from "../core/resource-kind.ts";
import { displayNameOf } from "../kinds/nouns.ts";
import { childIdOf, childrenAt, childrenOf } from "./children.ts";
import { findReferences, type Reference } from "./references.ts";

export interface Versions {
  readonly left: JsonObject;
  readonly right: JsonObject;
}

/** Adds the names of referenced records to changed ids. The first finder that knows a name counts. */
export function nameChangedReferences(
  kind: ResourceKind,
  changes: readonly MemberChange[],
  versions: Versions,
  finders: readonly FindRecord[],
): MemberChange[] {
  const [before, after] = changedReferences(kind, changes, versions);
  const nameOf = (references: ReadonlyMap<string, Reference>, pointer: string, id: JsonValue | undefined): string => {
    const reference = references.get(placeKey(pointer, id));
    if (reference === undefined) return "";
    return finders.map((find) => nameOfTarget(reference, id, find)).find((name) => name !== "") ?? "";
  };
  return changes.map((change): MemberChange => {
    const fromName = nameOf(before, change.pointer, change.from);
    const toName = nameOf(after, change.pointer, change.to);
    return { ...change, ...(fromName !== "" && { fromName }), ...(toName !== "" && { toName }) };
  });
}

export function recordsOfChangedReferences(
  kind: ResourceKind,
  changes: readonly MemberChange[],
  versions: Versions,
): ReadonlySet<RecordKey> {
  const references = changedReferences(kind, changes, versions).flatMap((side) => [...side.values()]);
  return new Set(references.flatMap(({ record }) => record ?? []));
}

type ReferencesByPlace = ReadonlyMap<string, Reference>;

function changedReferences(
  kind: ResourceKind,
  changes: readonly MemberChange[],
  { left, right }: Versions,
): [before: ReferencesByPlace, after: ReferencesByPlace] {
  const referencesIn = (body: JsonObject, places: ReadonlySet<string>): ReferencesByPlace => {
    if (places.size === 0) return new Map();
    // Pointers of changes lead into the compared form, in which an alert's channels are in one list.
    const compared = kind.comparable(body);
    const references = findReferences(kind, compared).map((reference) => {
      return [placeKey(reference.pointer, valueAtTokens(compared, reference.tokens)), reference] as const;
    });
    return new Map(references.filter(([place]) => places.has(place)));
  };
  const placesOf = (side: "from" | "to"): ReadonlySet<string> =>
    new Set(
      changes.flatMap((change) => (typeof change[side] === "string" ? placeKey(change.pointer, change[side]) : [])),
    );
  return [referencesIn(left, placesOf("from")), referencesIn(right, placesOf("to"))];
}

/** Ignores positions in lists, because an item may have other positions on the two sides. */
function placeKey(pointer: string, id: JsonValue | undefined): string {
  return `${pointer.replaceAll(/\/\d+(?=\/|$)/g, "/*")} ${typeof id === "string" ? id : ""}`;
}

function nameOfTarget({ space, record }: Reference, id: JsonValue | undefined, find: FindRecord): string {
  const owner = record === undefined ? undefined : find(...splitKey(record));
  if (owner === undefined) return "";
  if (space === owner.kind) return displayNameOf(owner, find);
  const children = childrenAt(space);
  const child = children && childrenOf(owner.body, children).find((candidate) => childIdOf(candidate) === id);
  return child === undefined ? "" : (children?.nameOf(child) ?? "");
}
