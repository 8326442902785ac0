import type { Warning } from "../../core/outcome.ts";
import type { RecordKey, StackRecord } from "../../core/record.ts";
import { recordKey } from "../../core/record.ts";
import type { FillValues } from "../../redaction/placeholders.ts";
import { findKind } from "../../kinds/registry.ts";
import { fillPlaceholders } from "../../redaction/placeholders.ts";
import { supplyNeeds } from "./fill-needed.ts";

/** What takes the place of placeholders, by record. */
export type RecordFills = ReadonlyMap<RecordKey, FillValues>;

/** An archive's records with placeholders filled in. */
export interface FilledRecords {
  readonly records: readonly StackRecord[];
  /** By record: pointers of needed members that the fill file answers. */
  readonly supplied: ReadonlyMap<RecordKey, ReadonlySet<string>>;
  /** One for each value that found no placeholder (`fill-unused`): a typing error must not pass in silence. */
  readonly warnings: readonly Warning[];
}

/** Fills placeholders in. Names stay as the archive has them: they are shown and written down, and a secret must not be. */
export function fillRecords(records: readonly StackRecord[], fills: RecordFills): FilledRecords {
  const supplied = new Map<RecordKey, ReadonlySet<string>>();
  if (fills.size === 0) return { records, supplied, warnings: [] };
  const warnings: Warning[] = [];
  const keys = new Set(records.map(({ kind, id }) => recordKey(kind, id)));
  for (const key of fills.keys()) {
    const message = `the fill file names ${key}, which is not in the archive`;
    if (!keys.has(key)) warnings.push({ code: "fill-unused", message });
  }
  const filled = records.map((record) => {
    const key = recordKey(record.kind, record.id);
    const values = fills.get(key);
    if (values === undefined) return record;
    const kind = findKind(record.kind);
    const needs = kind ? supplyNeeds(kind, record.body, values) : { body: record.body, supplied: [], rest: values };
    supplied.set(key, new Set(needs.supplied));
    const { body, unused } = fillPlaceholders(needs.body, needs.rest);
    const message = `the fill file gives ${key} values for a place that has no placeholder, or another number of them`;
    warnings.push(...unused.map((pointer) => ({ code: "fill-unused", message, pointer })));
    return { ...record, body };
  });
  return { records: filled, supplied, warnings };
}
