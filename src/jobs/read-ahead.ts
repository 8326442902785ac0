import { StackferryError } from "../domain/errors.ts";
import type { ManifestEntry } from "../domain/manifest.ts";
import type { RecordReads } from "../domain/ports.ts";
import type { StackRecord } from "../domain/record.ts";

/** So much of records is read and unpacked, by other threads, while one is looked at, … */
const AHEAD_BYTES = 1_500_000;
/** … be it ever so large or small. */
const [LEAST, MOST] = [2, 64];

/** Reads the records of these entries, in their order. @throws StackferryError `interrupted`, and what the reader throws */
export async function* readAhead(
  reader: RecordReads,
  entries: readonly ManifestEntry[],
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly [ManifestEntry, StackRecord]> {
  const underWay: (readonly [ManifestEntry, Promise<StackRecord>])[] = [];
  let bytes = 0;
  for (const entry of entries) {
    if (signal?.aborted) throw new StackferryError("interrupted", "reading the archive was interrupted");
    const record = reader.read(entry);
    // Its failure is heard when its turn comes.
    record.catch(() => {});
    underWay.push([entry, record]);
    bytes += entry.bytes;
    while (underWay.length > MOST || (underWay.length > LEAST && bytes > AHEAD_BYTES)) {
      const oldest = underWay.shift();
      if (oldest === undefined) break;
      yield [oldest[0], await oldest[1]];
      bytes -= oldest[0].bytes;
    }
  }
  for (const [entry, record] of underWay) yield [entry, await record];
}
