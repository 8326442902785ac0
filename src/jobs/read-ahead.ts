import { StackferryError } from "../domain/errors.ts";
import type { ManifestEntry } from "../domain/manifest.ts";
import type { RecordReads } from "../domain/ports.ts";
import type { StackRecord } from "../domain/record.ts";
import { ahead } from "./ahead.ts";

/** So many are read and unpacked, by other threads, while one is looked at. */
const AHEAD = 2;

/** Reads the records of these entries, in their order. @throws StackferryError `interrupted`, and what the reader throws */
export function readAhead(
  reader: RecordReads,
  entries: readonly ManifestEntry[],
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly [ManifestEntry, StackRecord]> {
  const read = async (entry: ManifestEntry): Promise<readonly [ManifestEntry, StackRecord]> => {
    if (signal?.aborted) throw new StackferryError("interrupted", "reading the archive was interrupted");
    return [entry, await reader.read(entry)];
  };
  return ahead(entries, read, AHEAD);
}
