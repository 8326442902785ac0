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

/** Redacts the records of one kind, in their order. A record's name is part of its body, so it is taken from there anew. */
export async function* redactRecords(
  kind: ResourceKind,
  records: readonly StackRecord[],
  redact: Redactor,
): AsyncGenerator<RedactedRecord> {
  for (let from = 0; from < records.length; from += AT_ONCE) {
    const group = records.slice(from, from + AT_ONCE);
    yield* await Promise.all(
      group.map(async (record) => {
        const { body, redactions } = await redact(kind, record.body);
        const name = redactions.length === 0 ? record.name : kind.nameOf(body);
        return { record: { ...record, name, body }, redactions };
      }),
    );
  }
}
