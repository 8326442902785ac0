import { keyOfRecord, recordKey, type StackRecord } from "../core/records/record.ts";
import type { FindRecord } from "../core/resource-kind.ts";
import { findKind } from "./registry.ts";

/** Returns the display name of a record: its name, or a name derived from what it references. Empty if there is neither. */
export function displayNameOf({ kind, name, displayName, body }: StackRecord, find: FindRecord): string {
  return name.trim() === "" ? (displayName ?? findKind(kind)?.displayName?.(body, find) ?? "") : name;
}

export function finderAmong(records: readonly StackRecord[]): FindRecord {
  const byKey = new Map(records.map((record) => [keyOfRecord(record), record]));
  return (kind, id) => byKey.get(recordKey(kind, id));
}

export function withDisplayNames(records: readonly StackRecord[]): readonly StackRecord[] {
  if (records.every(({ name }) => name.trim() !== "")) return records;
  const find = finderAmong(records);
  return records.map((record) => ({ ...record, ...displayNameMember(record, find) }));
}

/** Returns the display name of an unnamed record as a member to add; nothing for a record with a name. */
export function displayNameMember(record: StackRecord, find: FindRecord): { readonly displayName?: string } {
  const displayName = record.name.trim() === "" ? displayNameOf(record, find) : "";
  return displayName === "" ? {} : { displayName };
}
