import { createRecordEncoder } from "../../archive/encode-record.ts";
import type { RecordEncoding } from "../../archive/encode-record.ts";
import type { RecordFilter } from "../../domain/record-filter.ts";
import { createRedactor } from "../../redaction/redactor.ts";
import type { RedactionPolicy } from "../../redaction/policy.ts";
import { createPress } from "../../jobs/press-records.ts";
import type { Press, ReadyRecord } from "../../jobs/press-records.ts";
import { createSecretScanner } from "../../redaction/scanner.ts";

/** What a press is made of, as plain data, which can go to another thread. */
export interface PressSettings {
  readonly redaction: Omit<RedactionPolicy, "scanner">;
  readonly encoding: RecordEncoding;
  readonly filter: RecordFilter;
  readonly credentials: readonly string[];
}

/** The press of a run, the same in whatever thread it is made. */
export function pressOf({ redaction, encoding, filter, credentials }: PressSettings): Press<ReadyRecord> {
  const redact = createRedactor({ ...redaction, scanner: createSecretScanner() });
  return createPress({ redact, encode: createRecordEncoder(encoding), filter, credentials });
}
