import type { JsonObject } from "../domain/json.ts";
import type { ManifestEntry } from "../domain/manifest.ts";
import type { ArchiveReader, ListedRecord } from "../domain/ports.ts";
import type { StackRecord } from "../domain/record.ts";
import { withLateBody } from "./late-body.ts";
import { listedBytes } from "./listed-bytes.ts";
import { packRecord } from "./packed-record.ts";
import type { PackedRecord } from "./packed-record.ts";
import { readAhead } from "./read-ahead.ts";

/** How much is held as it is, and how many bodies of what is more. */
export interface HoldLimits {
  /** Bytes of an archive's records up to which they are held as they are; of a stack's lists, as much as comes first is. */
  readonly plainBytes: number;
  /** Bodies of the others that are held at a time. */
  readonly bodies: number;
}

/** Whoever plans stays with a record before going on to the next, so one body would nearly do; some are of 16 MB. */
const BODIES = 4;
const LIMITS: HoldLimits = { plainBytes: 64 * 1024 * 1024, bodies: BODIES };
const LIST_LIMITS: HoldLimits = { plainBytes: 16 * 1024 * 1024, bodies: BODIES };

/**
 * All records of an archive, to plan with and to write from; each is read once, and so checked, before any is given. The bodies
 * of a large archive are not kept: they are read again when they are asked for, and forgotten when others have been, so that
 * memory grows with the number of records, not with their size.
 * @param reader has to stay open for as long as bodies are asked for
 */
export async function holdRecords(
  reader: ArchiveReader,
  signal?: AbortSignal,
  limits: HoldLimits = LIMITS,
): Promise<StackRecord[]> {
  const { entries } = reader.manifest;
  const isLarge = entries.reduce((sum, { bytes }) => sum + bytes, 0) > limits.plainBytes;
  const bodyOf = lately(limits.bodies, (entry: ManifestEntry) => reader.readAgain(entry));
  const records: StackRecord[] = [];
  for await (const [entry, record] of readAhead(reader, entries, signal)) {
    records.push(isLarge ? withLateBody(entry, () => bodyOf(entry)) : record);
  }
  return records;
}

/**
 * Holds the records of a list, which cannot be read again and of which nobody knows the size before its end: the first as they
 * are, the others packed.
 */
export function recordHolder(
  limits: HoldLimits = LIST_LIMITS,
): (record: StackRecord, listed: ListedRecord) => StackRecord {
  const bodyOf = lately(limits.bodies, (held: PackedRecord) => held.unpack());
  const packed = (record: StackRecord): StackRecord => {
    const held = packRecord(record);
    return withLateBody(held, () => bodyOf(held));
  };
  let bytes = 0;
  return (record, listed) => {
    if (bytes > limits.plainBytes) return packed(record);
    bytes += listedBytes(listed);
    return record;
  };
}

/**
 * The bodies that were asked for last: whoever plans looks at one record several times before the next. A map would do, but
 * what it has let go of stays in memory with the tables that it has outgrown.
 */
function lately<Held>(most: number, open: (held: Held) => StackRecord): (held: Held) => JsonObject {
  const opened: { readonly held: Held; readonly body: JsonObject }[] = [];
  let oldest = 0;
  return (held) => {
    const known = opened.find((each) => each.held === held);
    if (known !== undefined) return known.body;
    const { body } = open(held);
    opened[oldest] = { held, body };
    oldest = (oldest + 1) % most;
    return body;
  };
}
