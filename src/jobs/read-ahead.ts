import { StackferryError } from "../domain/errors.ts";
import type { ManifestEntry } from "../domain/manifest.ts";
import type { RecordReads } from "../domain/ports.ts";
import type { StackRecord } from "../domain/record.ts";

/** So much of records is read and unpacked, by other threads, while one is looked at, … */
const AHEAD_BYTES = 1_000_000;
/** … be it ever so large or small. */
const [LEAST, MOST] = [3, 64];

/** Reads the records of these entries, in their order. @throws StackferryError `interrupted`, and what the reader throws */
export async function* readAhead(
  reader: RecordReads,
  entries: readonly ManifestEntry[],
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly [ManifestEntry, StackRecord]> {
  // Used again and again: an array that moves on leaves old selves behind, and with them in memory what they pointed to.
  const begun: (Promise<() => StackRecord> | undefined)[] = Array.from({ length: MOST });
  const begin = (entry: ManifestEntry): Promise<() => StackRecord> => {
    if (signal?.aborted) throw new StackferryError("interrupted", "reading the archive was interrupted");
    const prepared = reader.prepare(entry);
    // Its failure is heard when its turn comes.
    prepared.catch(() => {});
    return prepared;
  };
  let [next, bytes] = [0, 0];
  for (const [place, entry] of entries.entries()) {
    for (let ahead = next - place; ahead < LEAST || (ahead < MOST && bytes < AHEAD_BYTES); ahead += 1) {
      const following = entries[next];
      if (following === undefined) break;
      begun[next % MOST] = begin(following);
      bytes += following.bytes;
      next += 1;
    }
    const prepared = begun[place % MOST];
    begun[place % MOST] = undefined;
    bytes -= entry.bytes;
    if (prepared !== undefined) yield [entry, (await prepared)()];
  }
}
