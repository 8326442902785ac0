import { ownMember } from "../../core/json.ts";
import type { ManualMapping, MappedMember } from "../../core/plan/plan.ts";
import { keyOfRecord, type RecordKey, type StackRecord } from "../../core/records/record.ts";
import { findKind } from "../../kinds/registry.ts";
import type { FilledRecords, RecordFilling } from "./fill-records.ts";

const NOTHING: ReadonlySet<string> = new Set();

/** Replaces members of the records by those of a map file: an address may be valid only in the old network. */
export function applyMapFileMembers(read: FilledRecords, mapping: ManualMapping): FilledRecords {
  if (!hasMembers(mapping)) return read;
  const fillings = new Map<RecordKey, RecordFilling>(read.fillings);
  const records = read.records.map((record) => {
    const members = membersFor(record, mapping);
    if (members === undefined) return record;
    const key = keyOfRecord(record);
    if (!fillings.has(key)) fillings.set(key, { unfilled: record, supplied: NOTHING, refused: NOTHING });
    return { ...record, body: { ...record.body, ...members } };
  });
  return { ...read, records, fillings };
}

function membersFor(
  { kind, id, name }: StackRecord,
  mapping: ManualMapping,
): Readonly<Record<string, string>> | undefined {
  const lines = mapping[kind] ?? {};
  const mappedLines = [id, name].map((idOrName) => ownMember(lines, idOrName));
  return mappedLines.find((line) => typeof line === "object");
}

function hasMembers(mapping: ManualMapping): boolean {
  return Object.values(mapping).some((lines) => Object.values(lines).some((line) => typeof line === "object"));
}

/** Lists the members of a record that a map file changed. */
export function membersFromMapFile(record: StackRecord, archived: StackRecord): readonly MappedMember[] {
  const members = findKind(record.kind)?.mappedMembers ?? [];
  return members.flatMap((member): MappedMember[] => {
    const [from, to] = [archived.body[member], record.body[member]];
    if (from === to || typeof to !== "string") return [];
    return [{ member, ...(typeof from === "string" && { from }), to }];
  });
}
