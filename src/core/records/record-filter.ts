import { StackferryError } from "../errors.ts";
import { keyOfRecord, type NamedRecord, type RecordKey } from "./record.ts";

/** An empty `include` means all records. */
export interface RecordFilter {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly keys?: ReadonlySet<RecordKey>;
  /** Records selected with their owner, or with a record that references them (`--with-dependencies`). */
  readonly along?: ReadonlySet<RecordKey>;
  /** Nameless records that belong to an excluded record. */
  readonly excludedAlong?: ReadonlySet<RecordKey>;
}

/** Patterns match the name or the id; `*` also stands for slashes. */
export function isSelected(record: NamedRecord, filter: RecordFilter): boolean {
  const matches = (pattern: string): boolean => matchesGlob(pattern, record.name) || matchesGlob(pattern, record.id);
  const { include, exclude, keys, along, excludedAlong } = filter;
  if (keys !== undefined) return keys.has(keyOfRecord(record));
  const isIncluded = include.length === 0 || include.some(matches) || along?.has(keyOfRecord(record)) === true;
  return isIncluded && !exclude.some(matches) && excludedAlong?.has(keyOfRecord(record)) !== true;
}

export const PATTERN_HINT = "check the patterns: * stands for any text, and upper and lower case differ";

/**
 * An empty backup would be noticed only when it is needed.
 * @throws StackferryError `usage` if the filter has patterns
 */
export function refuseEmptySelection({ include, exclude }: RecordFilter, where: string): void {
  const flags = [
    ...(include.length > 0 ? [`--include ${include.join(", ")}`] : []),
    ...(exclude.length > 0 ? [`--exclude ${exclude.join(", ")}`] : []),
  ];
  if (flags.length === 0) return;
  throw new StackferryError("usage", `${flags.join(" with ")} selects no dashboard and no alert ${where}`, {
    hint: PATTERN_HINT,
  });
}

/**
 * Uses no regular expression, which can take exponential time for several stars.
 * @param oneCharacter the sign that stands for any one character; empty for none
 */
export function matchesGlob(pattern: string, text: string, oneCharacter: "?" | "" = "?"): boolean {
  let patternAt = 0;
  let star = -1;
  let covered = 0;
  for (let textAt = 0; textAt < text.length;) {
    const size = sizeAt(text, textAt);
    if (pattern[patternAt] === "*") {
      star = patternAt;
      covered = textAt;
      patternAt += 1;
    } else if (pattern[patternAt] === oneCharacter) {
      patternAt += 1;
      textAt += size;
    } else if (pattern.codePointAt(patternAt) === text.codePointAt(textAt)) {
      patternAt += size;
      textAt += size;
    } else {
      if (star < 0) return false;
      covered += sizeAt(text, covered);
      patternAt = star + 1;
      textAt = covered;
    }
  }
  return /^\**$/.test(pattern.slice(patternAt));
}

function sizeAt(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}
