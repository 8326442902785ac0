import { withDisplayNames } from "../../kinds/nouns.ts";
import { StackferryError } from "../../core/errors.ts";
import { memoryBudget } from "../../core/records/memory-budget.ts";
import type { RunContext } from "../../core/events.ts";
import type { Manifest, ManifestEntry } from "../../core/manifest.ts";
import type { RecordReader } from "../../core/ports.ts";
import type { StackRecord } from "../../core/records/record.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { isDamageError, leaveOutDamaged, withDamagedRecords } from "./damaged-records.ts";

/** Number of records that are read ahead of the record in use. */
const AHEAD = 4;

/** Reads and checks every record in the manifest's order. @throws StackferryError if they do not fit into memory */
export async function readRecords(reader: RecordReader, signal?: AbortSignal): Promise<StackRecord[]> {
  const records: StackRecord[] = [];
  const hold = memoryBudget("archive");
  for await (const [, record] of readAhead(reader, reader.manifest.entries, signal)) {
    hold(record.body);
    records.push(record);
  }
  return records;
}

/** Reads every record except the damaged ones that the user excludes. Returns the manifest of the records that were read, too. */
export async function readUsableRecords(
  reader: RecordReader,
  exclude: readonly string[],
  redact: Redactor,
  { events, signal }: RunContext,
): Promise<{ readonly records: readonly StackRecord[]; readonly manifest: Manifest }> {
  const { manifest } = reader;
  try {
    return { records: withDisplayNames(await readRecords(reader, signal)), manifest };
  } catch (error) {
    if (!isDamageError(error)) throw error;
    const usable = await leaveOutDamaged(manifest, new Set(error.faults), exclude, redact, events);
    if (usable.entries.length === manifest.entries.length) throw error;
    const records = await readRecords({ ...reader, manifest: usable }, signal);
    return { records: withDisplayNames(records), manifest: usable };
  }
}

/**
 * Reads the records of these entries in order, a few in advance.
 * @throws StackferryError `interrupted`, and the reader's errors. The `faults` of `archive-damaged` are the paths of all damaged
 * records.
 */
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
  try {
    for (const entry of entries) {
      begin(entry);
      const first = reads.length > AHEAD ? reads.shift() : undefined;
      if (first !== undefined) yield await first;
    }
    for (const reading of reads) yield await reading;
  } catch (error) {
    throw await withDamagedRecords(error, reader, signal);
  }
}
