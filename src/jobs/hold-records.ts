import type { JsonObject } from "../domain/json.ts";
import type { ArchiveReader, ListedRecord } from "../domain/ports.ts";
import type { StackRecord } from "../domain/record.ts";
import { listedBytes } from "./listed-bytes.ts";
import { packRecord } from "./packed-record.ts";
import type { PackedRecord } from "./packed-record.ts";
import { readAhead } from "./read-ahead.ts";

/** How much is held as it is, and how many bodies of what is more. */
export interface HoldLimits {
  /** Bytes of an archive's records up to which they are held as they are; of a stack's lists, as much as comes first is. */
  readonly plainBytes: number;
  /** Bodies that are unpacked at a time. */
  readonly unpacked: number;
}

const LIMITS: HoldLimits = { plainBytes: 64 * 1024 * 1024, unpacked: 16 };
const LIST_LIMITS: HoldLimits = { plainBytes: 16 * 1024 * 1024, unpacked: 16 };

/**
 * All records of an archive, to plan with and to write from. Those of a large archive are packed: a body is unpacked when it
 * is asked for, and forgotten when others have been, so that memory grows with the number of records, hardly with their size.
 */
export async function holdRecords(
  reader: ArchiveReader,
  signal?: AbortSignal,
  limits: HoldLimits = LIMITS,
): Promise<StackRecord[]> {
  const { entries } = reader.manifest;
  const isLarge = entries.reduce((sum, { bytes }) => sum + bytes, 0) > limits.plainBytes;
  const bodyOf = lately(limits.unpacked);
  const records: StackRecord[] = [];
  for await (const [, record] of readAhead(reader, entries, signal)) {
    records.push(isLarge ? unpackedWhenAsked(packRecord(record), bodyOf) : record);
  }
  return records;
}

/** Holds the records of a list, of which nobody knows the size before its end: the first as they are, the others packed. */
export function recordHolder(
  limits: HoldLimits = LIST_LIMITS,
): (record: StackRecord, listed: ListedRecord) => StackRecord {
  const bodyOf = lately(limits.unpacked);
  let bytes = 0;
  return (record, listed) => {
    if (bytes > limits.plainBytes) return unpackedWhenAsked(packRecord(record), bodyOf);
    bytes += listedBytes(listed);
    return record;
  };
}

function unpackedWhenAsked(packed: PackedRecord, bodyOf: (packed: PackedRecord) => JsonObject): StackRecord {
  const { kind, id, name } = packed;
  return {
    kind,
    id,
    name,
    get body() {
      return bodyOf(packed);
    },
  };
}

/**
 * The bodies that were asked for last: whoever plans looks at one record several times before the next. A map would do, but
 * what it has let go of stays in memory with the tables that it has outgrown.
 */
function lately(most: number): (packed: PackedRecord) => JsonObject {
  const held: { readonly packed: PackedRecord; readonly body: JsonObject }[] = [];
  let oldest = 0;
  return (packed) => {
    const known = held.find((each) => each.packed === packed);
    if (known !== undefined) return known.body;
    const { body } = packed.unpack();
    held[oldest] = { packed, body };
    oldest = (oldest + 1) % most;
    return body;
  };
}
