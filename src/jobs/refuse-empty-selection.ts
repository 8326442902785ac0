import { StackferryError } from "../domain/errors.ts";
import type { RecordFilter } from "../domain/record-filter.ts";

/** A pattern that selects nothing is a mistake: an empty backup would be noticed on the day it is needed. Throws `usage`. */
export function refuseEmptySelection({ include, exclude }: RecordFilter, where: string): void {
  if (include.length === 0 && exclude.length === 0) return;
  const patterns = include.length > 0 ? `--include ${include.join(", ")}` : `--exclude ${exclude.join(", ")}`;
  throw new StackferryError("usage", `${patterns} leaves no dashboard and no alert ${where}`, {
    hint: "Check the patterns: * stands for any text, and upper and lower case differ.",
  });
}
