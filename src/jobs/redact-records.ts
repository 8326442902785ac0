import { isJsonArray } from "../domain/json.ts";
import type { JsonValue } from "../domain/json.ts";
import type { Redaction } from "../domain/manifest.ts";
import type { StackRecord } from "../domain/record.ts";
import type { Redactor } from "../domain/redaction/create-redactor.ts";
import type { ResourceKind } from "../domain/resource-kind.ts";

/** A record without its secrets, and what was taken out. */
export interface RedactedRecord {
  readonly record: StackRecord;
  readonly redactions: readonly Omit<Redaction, "path">[];
}

/** So many are redacted side by side, and no more than about so many bytes of them: they share one call of the scanner. */
const MOST_RECORDS = 50;
const MOST_BYTES = 1_000_000;

/**
 * Redacts the records of one kind, in their order, a few at a time however many there are. A record's name is part of its
 * body, so it is taken from there anew. What came before an error of `records` is still given.
 */
export async function* redactRecords(
  kind: ResourceKind,
  records: Iterable<StackRecord> | AsyncIterable<StackRecord>,
  redact: Redactor,
): AsyncGenerator<RedactedRecord> {
  for await (const group of inGroups(records)) {
    yield* await Promise.all(
      group.map(async (record) => {
        const { body, redactions } = await redact(kind, record.body);
        const name = redactions.length === 0 ? record.name : kind.nameOf(body);
        return { record: { ...record, name, body }, redactions };
      }),
    );
  }
}

async function* inGroups(records: Iterable<StackRecord> | AsyncIterable<StackRecord>): AsyncGenerator<StackRecord[]> {
  let group: StackRecord[] = [];
  let bytes = 0;
  try {
    for await (const record of records) {
      group.push(record);
      bytes += roughSize(record.body, MOST_BYTES);
      if (group.length < MOST_RECORDS && bytes < MOST_BYTES) continue;
      const full = group;
      [group, bytes] = [[], 0];
      yield full;
    }
  } catch (error) {
    if (group.length > 0) yield group;
    throw error;
  }
  if (group.length > 0) yield group;
}

/** About how long a value is as JSON; not counted much further than `most`. */
function roughSize(value: JsonValue | undefined, most: number): number {
  if (typeof value === "string") return value.length + 3;
  if (typeof value !== "object" || value === null) return 6;
  let size = 2;
  if (isJsonArray(value)) {
    for (const item of value) if (size < most) size += roughSize(item, most - size);
    return size;
  }
  for (const member in value) if (size < most) size += member.length + 4 + roughSize(value[member], most - size);
  return size;
}
