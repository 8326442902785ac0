import type { RunContext } from "../core/events.ts";
import type { RecordReader } from "../core/ports.ts";
import type { StackRecord } from "../core/records/record.ts";
import { eachRecord } from "../import/read/archive-records.ts";
import { parseRecord } from "../kinds/descriptor-parts.ts";
import { findKind } from "../kinds/registry.ts";

/** A record that does not fit the schema of its kind. */
export interface VerifyProblem {
  readonly path: string;
  readonly code: "unreadable-record" | "unknown-form";
  readonly message: string;
}

/**
 * Reads every record and checks its schema. The reader checks sizes and checksums.
 * @param onRecord receives each record
 * @throws StackferryError `archive-damaged`, whose `faults` are the paths of the damaged records
 */
export async function verifyRecords(
  reader: RecordReader,
  { signal }: RunContext,
  onRecord: (record: StackRecord) => void = () => {},
): Promise<VerifyProblem[]> {
  const problems: VerifyProblem[] = [];
  for await (const [{ path }, record] of eachRecord(reader, reader.manifest.entries, signal)) {
    onRecord(record);
    const kind = findKind(record.kind);
    if (kind === undefined) {
      problems.push({ path, code: "unknown-form", message: `the kind "${record.kind}" is not known` });
      continue;
    }
    const parsed = parseRecord(kind, record.body);
    if (!parsed.ok) problems.push({ path, code: "unreadable-record", message: parsed.problem });
  }
  return problems;
}
