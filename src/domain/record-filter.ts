import { fitsGlob } from "./fits-glob.ts";
import type { StackRecord } from "./record.ts";

/** Which records the user asked for. An empty `include` means all. */
export interface RecordFilter {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/**
 * Whether a record is asked for: its name or id matches one of `include` and none of `exclude`. In a pattern `*` stands for
 * any text (a slash too: names are not paths) and `?` for one character.
 */
export function isSelected(record: StackRecord, filter: RecordFilter): boolean {
  const matches = (pattern: string): boolean => fitsGlob(pattern, record.name) || fitsGlob(pattern, record.id);
  return (filter.include.length === 0 || filter.include.some(matches)) && !filter.exclude.some(matches);
}
