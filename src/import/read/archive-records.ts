import { StackferryError } from "../../core/errors.ts";
import { memoryBudget } from "../../core/records/memory-budget.ts";
import type { ManifestEntry } from "../../core/manifest.ts";
import type { RecordReader } from "../../core/ports.ts";
import type { StackRecord } from "../../core/records/record.ts";
import { withDamagedRecords } from "./damaged-records.ts";

/** Number of records that are read and decompressed ahead of the record in use. */
const AHEAD = 4;

/**
 * Reads and checks every record in the manifest's order.
 * @throws StackferryError `archive-damaged`, whose `faults` are the paths of the damaged records; `usage` if the records do not fit
 * into memory
 */
export async function readRecords(reader: RecordReader, signal?: AbortSignal): Promise<StackRecord[]> {
  const records: StackRecord[] = [];
  const hold = memoryBudget("archive");
  try {
    for await (const [, record] of readAhead(reader, reader.manifest.entries, signal)) {
      hold(record.body);
      records.push(record);
    }
  } catch (error) {
    throw await withDamagedRecords(error, reader, signal);
  }
  return records;
}

/** Reads the records of these entries in order, a few in advance. @throws StackferryError `interrupted`, and the reader's errors */
export async function* readAhead(
  reader: RecordReader,
  entries: readonly ManifestEntry[],
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly [ManifestEntry, StackRecord]> {
  const reads: Promise<readonly [ManifestEntry, StackRecord]>[] = [];
  const begin = (entry: ManifestEntry): void => {
    if (signal?.aborted) throw new StackferryError("interrupted", "reading the archive was interrupted");
    const reading = reader.read(entry).then((record) => [entry, record] as const);
    // The failure of a read is reported when the turn of its record comes.
    reading.catch(() => {});
    reads.push(reading);
  };
  for (const entry of entries) {
    begin(entry);
    const first = reads.length > AHEAD ? reads.shift() : undefined;
    if (first !== undefined) yield await first;
  }
  for (const reading of reads) yield await reading;
}
