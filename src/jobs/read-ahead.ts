import { StackferryError } from "../domain/errors.ts";
import type { ManifestEntry } from "../domain/manifest.ts";
import type { ArchiveReader } from "../domain/ports.ts";
import type { StackRecord } from "../domain/record.ts";

/** So many are read and unpacked, by other threads, while one is looked at. */
const AHEAD = 2;

/** Reads the records of these entries, in their order. @throws StackferryError `interrupted`, and what the reader throws */
export async function* readAhead(
  reader: ArchiveReader,
  entries: readonly ManifestEntry[],
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly [ManifestEntry, StackRecord]> {
  const coming: Promise<StackRecord>[] = [];
  const begin = (entry: ManifestEntry): void => {
    const record = reader.read(entry);
    // Looked at in its turn; until then nobody listens.
    record.catch(() => {});
    coming.push(record);
  };
  for (const entry of entries.slice(0, AHEAD)) begin(entry);
  for (const [index, entry] of entries.entries()) {
    if (signal?.aborted) throw new StackferryError("interrupted", "reading the archive was interrupted");
    const next = entries[index + AHEAD];
    if (next !== undefined) begin(next);
    const record = await coming.shift();
    if (record !== undefined) yield [entry, record];
  }
}
