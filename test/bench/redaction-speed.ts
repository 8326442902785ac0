import type { JsonObject } from "../../src/core/json.ts";
import type { StackRecord } from "../../src/core/records/record.ts";
import { dashboards } from "../../src/kinds/dashboards.ts";
import type { Redactor } from "../../src/redaction/redactor.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";
import { createSecretScanner } from "../../src/redaction/secretlint-scanner.ts";
import { madeDashboards } from "../corpus/made-dashboards.ts";

/** The speed of redaction, and its time relative to writing and reading the same records as JSON. */
export interface RedactionSpeed {
  readonly megabytes: number;
  readonly redactions: number;
  readonly megabytesPerSecond: number;
  /** Time of redaction as a multiple of the time of JSON.stringify and JSON.parse. */
  readonly timesJson: number;
}

/** Measures redaction of dashboards that all differ, and prints the result. 5,000 dashboards of 40 tiles are about 100 MB. */
export async function measureRedaction(
  { count = 5000, tiles = 40 } = {},
  redact: Redactor = createRedactor({ scanner: createSecretScanner() }),
): Promise<RedactionSpeed> {
  const redacted = async (records: readonly StackRecord[]): Promise<number> => {
    let found = 0;
    // An export also redacts records in batches of this size.
    for (let from = 0; from < records.length; from += 50) {
      const batch = records.slice(from, from + 50).map(({ body }) => redact(dashboards, body));
      for (const { redactions } of await Promise.all(batch)) found += redactions.length;
    }
    return found;
  };
  // Redact some records first, so that the engine has compiled the code before the measurement.
  await redacted(madeDashboards(1, Math.ceil(count / 20), tiles));
  let [bytes, redactions, inJson, inRedaction] = [0, 0, 0, 0];
  // The records are made in parts, so that they do not fill the memory.
  const part = Math.min(count, 500);
  for (let from = 0; from < count; from += part) {
    const records = madeDashboards(from + 2, part, tiles);
    const begin = performance.now();
    const parsed = records.map((record): StackRecord => {
      const json = JSON.stringify(record.body);
      bytes += json.length;
      return { ...record, body: JSON.parse(json) as JsonObject };
    });
    const middle = performance.now();
    redactions += await redacted(parsed);
    inJson += middle - begin;
    inRedaction += performance.now() - middle;
  }
  const megabytes = bytes / 1e6;
  const speed = {
    megabytes,
    redactions,
    megabytesPerSecond: megabytes / (inRedaction / 1000),
    timesJson: inRedaction / inJson,
  };
  const shown = Object.entries(speed).map(([name, value]) => `${name} ${value.toFixed(1)}`);
  process.stdout.write(`redaction: ${shown.join(", ")}\n`);
  return speed;
}
