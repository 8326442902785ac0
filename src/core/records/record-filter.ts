import { StackferryError } from "../errors.ts";
import type { RecordKey, StackRecord } from "./record.ts";
import { recordKey } from "./record.ts";

/** Which records the user asked for. An empty `include` and `only` means all. */
export interface RecordFilter {
  readonly include: readonly string[];
  /** Like `include`, but without what lives on the record. */
  readonly only?: readonly string[];
  readonly exclude: readonly string[];
  /** What lives on records of `include`, and comes along with them. */
  readonly along?: ReadonlySet<RecordKey>;
}

/**
 * Whether a record is asked for: its name or id matches one of `include` or `only` and none of `exclude`. In a pattern `*` stands for
 * any text (a slash too: names are not paths) and `?` for one character.
 */
export function isSelected(record: StackRecord, filter: RecordFilter): boolean {
  const matches = (pattern: string): boolean => fitsGlob(pattern, record.name) || fitsGlob(pattern, record.id);
  const { include, only = [], exclude, along } = filter;
  const isIncluded =
    (include.length === 0 && only.length === 0) ||
    include.some(matches) ||
    only.some(matches) ||
    along?.has(recordKey(record.kind, record.id)) === true;
  return isIncluded && !exclude.some(matches);
}

/** A pattern that selects nothing is a mistake: an empty backup would be noticed on the day it is needed. Throws `usage`. */
export function refuseEmptySelection({ include, only = [], exclude }: RecordFilter, where: string): void {
  const [patterns] = [
    ...(include.length > 0 ? [`--include ${include.join(", ")}`] : []),
    ...(only.length > 0 ? [`--only ${only.join(", ")}`] : []),
    ...(exclude.length > 0 ? [`--exclude ${exclude.join(", ")}`] : []),
  ];
  if (patterns === undefined) return;
  throw new StackferryError("usage", `${patterns} leaves no dashboard and no alert ${where}`, {
    hint: "Check the patterns: * stands for any text, and upper and lower case differ.",
  });
}

/**
 * Whether a text fits a pattern as a whole: `*` stands for any text, `one` for one character. Takes steps in proportion to the
 * lengths of both: as a regular expression a few stars would take longer than anybody waits.
 * @param one no character has this meaning where it is empty
 */
export function fitsGlob(pattern: string, text: string, one: "?" | "" = "?"): boolean {
  let at = 0;
  let star = -1;
  /** Where what the last star stands for ends. */
  let covered = 0;
  for (let here = 0; here < text.length;) {
    const size = sizeAt(text, here);
    if (pattern[at] === "*") {
      star = at;
      covered = here;
      at += 1;
    } else if (pattern[at] === one) {
      at += 1;
      here += size;
    } else if (pattern.codePointAt(at) === text.codePointAt(here)) {
      at += size;
      here += size;
    } else {
      if (star < 0) return false;
      covered += sizeAt(text, covered);
      at = star + 1;
      here = covered;
    }
  }
  return /^\**$/.test(pattern.slice(at));
}

/** Of the character there, in code units. */
function sizeAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
