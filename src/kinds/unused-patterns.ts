import { StackferryError } from "../core/errors.ts";
import { hasEveryRecord, type KindSummary } from "../core/manifest.ts";
import type { Warning } from "../core/outcome.ts";
import { isSelected, PATTERN_HINT, type RecordFilter } from "../core/records/record-filter.ts";
import type { KindName, NamedRecord } from "../core/records/record.ts";
import { closestName } from "../core/text/similarity.ts";
import { pluralOf } from "./nouns.ts";
import { findKind } from "./registry.ts";

export interface SearchedRecords {
  /** Includes kinds that the user did not request. */
  readonly records: readonly NamedRecord[];
  readonly where: string;
  readonly unread: readonly KindName[];
  readonly mayBeGone?: boolean;
  /** The command that finds the backups with a matching record, if `records` are those of a backup. */
  readonly findCommand?: ((pattern: string) => string) | undefined;
  readonly nameOf: (record: NamedRecord) => string | Promise<string>;
}

/** Omits kinds that no import writes and nobody requested. */
export function unreadKinds(
  summaries: Iterable<readonly [KindName, Pick<KindSummary, "status" | "unlisted">]>,
): KindName[] {
  return [...summaries].flatMap(([kind, summary]) => {
    const isUnwritten = summary.status === "not-requested" && findKind(kind)?.importPolicy.when === "never";
    return hasEveryRecord(summary) || summary.status === "not-offered" || isUnwritten ? [] : [kind];
  });
}

/**
 * An unused `--exclude` is never an error, because a record that no longer exists needs no protection.
 * @throws StackferryError `usage` for a pattern of `--include` that certainly matches no record
 */
export async function findUnusedPatterns(filter: RecordFilter, searched: SearchedRecords): Promise<Warning[]> {
  const { records, unread, mayBeGone = false, where, findCommand } = searched;
  const isUnused = (pattern: string): boolean => !matchesAny(pattern, records);
  const [included, excluded] = [filter.include.filter(isUnused), filter.exclude.filter(isUnused)];
  const [first] = included;
  if (first !== undefined && unread.length === 0 && !mayBeGone) {
    const similar = await similarName(first, searched);
    const meant = similar === undefined ? PATTERN_HINT : `did you mean "${similar}"?`;
    // `findCommand` comes first: the user more likely wants another backup than another name.
    const hint =
      findCommand === undefined ? meant : `to find the backups that have it: ${findCommand(first)}; or ${meant}`;
    throw new StackferryError("usage", `--include ${first} matches none of the records ${where}`, { hint });
  }
  const gaps =
    unread.length === 0 ? "" : `; not all records of these kinds were read: ${unread.map(pluralOf).join(", ")}`;
  const warn = async (flag: string, pattern: string): Promise<Warning> => {
    const similar = await similarName(pattern, searched);
    const meant = similar === undefined ? "" : ` (did you mean "${similar}"?)`;
    return { code: "unused", message: `${flag} ${pattern} matches none of the records ${where}${gaps}${meant}` };
  };
  return Promise.all([
    ...included.map((pattern) => warn("--include", pattern)),
    ...excluded.map((pattern) => warn("--exclude", pattern)),
  ]);
}

export function matchesAny(pattern: string, records: readonly NamedRecord[]): boolean {
  return records.some((record) => isSelected(record, { include: [pattern], exclude: [] }));
}

/** The returned name is redacted. */
export async function similarName(
  pattern: string,
  { records, nameOf }: Pick<SearchedRecords, "records" | "nameOf">,
): Promise<string | undefined> {
  const similar = closestName(pattern, [...new Set(records.map(({ name }) => name))]);
  const record = records.find(({ name }) => name === similar);
  return record && (await nameOf(record));
}
