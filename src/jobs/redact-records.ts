import type { Redaction } from "../domain/manifest.ts";
import type { StackRecord } from "../domain/record.ts";
import type { Redactor } from "../domain/redaction/create-redactor.ts";
import type { ResourceKind } from "../domain/resource-kind.ts";

/** A record without its secrets, and what was taken out. */
export interface RedactedRecord {
  readonly record: StackRecord;
  readonly redactions: readonly Omit<Redaction, "path">[];
}

/** So many are redacted side by side: they share one call of the scanner. */
const AT_ONCE = 50;

/**
 * Redacts the records of one kind, in their order, and takes no more of them than it needs. A record's name is part of its
 * body, so it is taken from there anew.
 */
export async function* redactRecords(
  kind: ResourceKind,
  records: AsyncIterable<StackRecord> | Iterable<StackRecord>,
  redact: Redactor,
): AsyncGenerator<RedactedRecord> {
  const one = async (record: StackRecord): Promise<RedactedRecord> => {
    const { body, redactions } = await redact(kind, record.body);
    const name = redactions.length === 0 ? record.name : kind.nameOf(body);
    return { record: { ...record, name, body }, redactions };
  };
  for await (const group of groups(records, AT_ONCE)) yield* await Promise.all(group.map(one));
}

async function* groups<Item>(items: AsyncIterable<Item> | Iterable<Item>, size: number): AsyncGenerator<Item[]> {
  let group: Item[] = [];
  for await (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
