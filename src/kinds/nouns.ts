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

const OTHER_SPACES: ReadonlyMap<IdSpace, string> = new Map([
  ["dashboards/tiles", "tile"],
  ["dashboards/filters", "filter"],
]);

export function nounOf(space: IdSpace): string {
  return findKind(space)?.singular ?? OTHER_SPACES.get(space) ?? space;
}

export function pluralOf(kind: KindName): string {
  return kind.replaceAll("-", " ");
}

export function nameOfRecord(record: NamedRecord): string {
  return `the ${nounOf(record.kind)} "${labelOf(record)}"`;
}

export function nameOfChild({ member, space, nameOf }: ChildIds, owner: JsonObject, child: JsonObject): string {
  return labelOfChild(nounOf(space), nameOf(child), objectsIn(owner[member]).indexOf(child));
}

export function displayNameOf({ kind, name, displayName, body }: StackRecord, find: FindRecord): string {
  return name.trim() === "" ? (displayName ?? findKind(kind)?.displayName?.(body, find) ?? "") : name;
}

export function withDisplayNames(records: readonly StackRecord[]): readonly StackRecord[] {
  if (records.every(({ name }) => name.trim() !== "")) return records;
  const byKey = new Map(records.map((record) => [keyOfRecord(record), record]));
  const find: FindRecord = (kind, id) => byKey.get(recordKey(kind, id));
  return records.map((record) => ({ ...record, ...displayNameMember(record, find) }));
}

export function displayNameMember(record: StackRecord, find: FindRecord): { readonly displayName?: string } {
  const displayName = record.name.trim() === "" ? displayNameOf(record, find) : "";
  return displayName === "" ? {} : { displayName };
}
