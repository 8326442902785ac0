import type { ManifestEntry } from "../../core/manifest.ts";
import type { ArchiveReader } from "../../core/ports.ts";
import type { RecordKey, StackRecord } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import { readAhead } from "../../import/read/archive-records.ts";
import { MOST_CALLED, calledOf } from "../../kinds/called.ts";
import { findKind } from "../../kinds/registry.ts";

/** What people call the records of an archive that have no name. Reads these and what they point to, and no others. */
export async function callUnnamedEntries(
  reader: ArchiveReader,
  signal: AbortSignal,
): Promise<ReadonlyMap<RecordKey, string>> {
  const { entries } = reader.manifest;
  const unnamed = entries.filter(({ kind, name }) => name.trim() === "" && findKind(kind)?.calledAfter !== undefined);
  const records = await readEntries(reader, unnamed.slice(0, MOST_CALLED), signal);
  const wanted = new Set<RecordKey>();
  for (const record of records.values()) {
    calledOf(record, (kind, id) => {
      wanted.add(recordKey(kind, id));
      return undefined;
    });
  }
  const pointedTo = entries.filter(({ kind, id }) => wanted.has(recordKey(kind, id)));
  const others = await readEntries(reader, pointedTo, signal);
  return new Map(
    [...records].map(([key, record]) => [key, calledOf(record, (kind, id) => others.get(recordKey(kind, id)))]),
  );
}

async function readEntries(
  reader: ArchiveReader,
  entries: readonly ManifestEntry[],
  signal: AbortSignal,
): Promise<Map<RecordKey, StackRecord>> {
  const records = new Map<RecordKey, StackRecord>();
  for await (const [, record] of readAhead(reader, entries, signal)) {
    records.set(recordKey(record.kind, record.id), record);
  }
  return records;
}
