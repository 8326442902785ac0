import { objectsIn, type JsonObject } from "../core/json.ts";
import {
  keyOfRecord,
  labelOf,
  labelOfChild,
  recordKey,
  type KindName,
  type NamedRecord,
  type StackRecord,
} from "../core/records/record.ts";
import type { ChildIds, FindRecord, IdSpace } from "../core/resource-kind.ts";
import { findKind } from "./registry.ts";

/** Nouns for children of records. */
const OTHER_SPACES: ReadonlyMap<IdSpace, string> = new Map([
  ["dashboards/tiles", "tile"],
  ["dashboards/filters", "filter"],
]);

/** Returns the noun for a kind or a kind of child, for people: `source`, `tile`, `saved search`. */
export function nounOf(space: IdSpace): string {
  return findKind(space)?.singular ?? OTHER_SPACES.get(space) ?? space;
}

/** Returns the plural noun for a kind, for people: `saved searches`. */
export function pluralOf(kind: KindName): string {
  return kind.replaceAll("-", " ");
}

/**
 * Names a record in a sentence: `the alert "Busy"`. A record without a name has its display name: `the alert "on
 * Latency (Checkout)"`.
 */
export function nameOfRecord(record: NamedRecord): string {
  return `the ${nounOf(record.kind)} "${labelOf(record)}"`;
}

/** Returns a label for people: the child's name, or noun and number, such as `tile 2`. */
export function nameOfChild({ member, space, nameOf }: ChildIds, owner: JsonObject, child: JsonObject): string {
  return labelOfChild(nounOf(space), nameOf(child), objectsIn(owner[member]).indexOf(child));
}

/** Returns the record's name, or else a name derived from the records that it references; empty if there is neither. */
export function displayNameOf({ kind, name, displayName, body }: StackRecord, find: FindRecord): string {
  return name.trim() === "" ? (displayName ?? findKind(kind)?.displayName?.(body, find) ?? "") : name;
}

function finderAmong(records: readonly StackRecord[]): FindRecord {
  const byKey = new Map(records.map((record) => [keyOfRecord(record), record]));
  return (kind, id) => byKey.get(recordKey(kind, id));
}

export function withDisplayNames(records: readonly StackRecord[]): readonly StackRecord[] {
  if (records.every(({ name }) => name.trim() !== "")) return records;
  const find = finderAmong(records);
  return records.map((record) => ({ ...record, ...displayNameMember(record, find) }));
}

/** Returns the display name of an unnamed record as a member to spread into the record; an empty object if there is none. */
export function displayNameMember(record: StackRecord, find: FindRecord): { readonly displayName?: string } {
  const displayName = record.name.trim() === "" ? displayNameOf(record, find) : "";
  return displayName === "" ? {} : { displayName };
}
