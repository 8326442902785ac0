import type { StackRecord } from "../domain/record.ts";
import { isSelected } from "../domain/record-filter.ts";
import type { ImportOptions } from "./import-options.ts";

/** Whether an import is asked to write this record, if it can be written at all. */
export function isAskedFor(record: StackRecord, { kinds, filter }: ImportOptions): boolean {
  return (kinds.length === 0 || kinds.includes(record.kind)) && isSelected(record, filter);
}
