import type { Manifest, ManifestEntry } from "../../core/manifest.ts";
import type { ArchiveReader, RecordReader } from "../../core/ports.ts";
import { recordKey, type RecordKey, type StackRecord } from "../../core/records/record.ts";
import { eachRecord } from "../../import/read/archive-records.ts";
import { displayNameOf } from "../../kinds/nouns.ts";
import { kindsWithWriteOnlyFields, writeOnlyMembersOf, type WriteOnlyMembers } from "../../kinds/members/write-only.ts";
import { findKind } from "../../kinds/registry.ts";
import { createRedactedReader } from "../../redaction/redact-names.ts";
import type { Redactor } from "../../redaction/redactor.ts";

/** The content of an archive, as far as its manifest and few of its records tell it. */
export interface InspectedArchive {
  readonly manifest: Manifest;
  /** The members that the API never returns, by record. */
  readonly needed: readonly WriteOnlyMembers[];
  readonly displayNames: ReadonlyMap<RecordKey, string>;
}

/** Reads only records that may have write-only members, records without a name, and the records that these reference. */
export async function inspectArchive(
  reader: ArchiveReader,
  redact: Redactor,
  signal: AbortSignal,
): Promise<InspectedArchive> {
  const redacted = await createRedactedReader(reader, redact);
  const needed = await readWriteOnly(redacted, signal);
  return { manifest: redacted.manifest, needed, displayNames: await displayNamesOf(redacted, signal) };
}

async function readWriteOnly(reader: RecordReader, signal: AbortSignal): Promise<WriteOnlyMembers[]> {
  const names = kindsWithWriteOnlyFields();
  const entries = reader.manifest.entries.filter(({ kind }) => names.includes(kind));
  return writeOnlyMembersOf([...(await readEntries(reader, entries, signal)).values()]);
}

/** Maximum number of unnamed records that are read for a display name: nobody reads a longer list. */
const MAX_READ = 1000;

/** Returns display names for an archive's records without a name. Reads only these records and the records that they reference. */
async function displayNamesOf(reader: RecordReader, signal: AbortSignal): Promise<ReadonlyMap<RecordKey, string>> {
  const { entries } = reader.manifest;
  const unnamed = entries.filter(({ kind, name }) => name.trim() === "" && findKind(kind)?.displayName !== undefined);
  const records = await readEntries(reader, unnamed.slice(0, MAX_READ), signal);
  const referencedKeys = new Set<RecordKey>();
  for (const record of records.values()) {
    displayNameOf(record, (kind, id) => {
      referencedKeys.add(recordKey(kind, id));
      return undefined;
    });
  }
  const pointedTo = entries.filter(({ kind, id }) => referencedKeys.has(recordKey(kind, id)));
  const others = await readEntries(reader, pointedTo, signal);
  return new Map(
    [...records].map(([key, record]) => [key, displayNameOf(record, (kind, id) => others.get(recordKey(kind, id)))]),
  );
}

async function readEntries(
  reader: RecordReader,
  entries: readonly ManifestEntry[],
  signal: AbortSignal,
): Promise<Map<RecordKey, StackRecord>> {
  const records = new Map<RecordKey, StackRecord>();
  for await (const [, record] of eachRecord(reader, entries, signal)) {
    records.set(recordKey(record.kind, record.id), record);
  }
  return records;
}
