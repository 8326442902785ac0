import type { Warning } from "../core/outcome.ts";
import type { StackRecord } from "../core/records/record.ts";
import { findKind } from "../kinds/registry.ts";
import { findUnusedPatterns } from "../kinds/unused-patterns.ts";
import type { DiffRequest } from "./diff-stacks.ts";
import { transformLeftSide, withoutNamePrefix } from "./diff-stacks.ts";
import type { DiffSide } from "./side.ts";

/**
 * Warns of patterns that match no record of either side. Each record is compared under all its names: before and after the
 * transforms, with and without the name prefix.
 * @throws StackferryError `usage` for a pattern of `--include` or `--only` that certainly matches none
 */
export async function warnOfUnusedPatterns(left: DiffSide, right: DiffSide, request: DiffRequest): Promise<Warning[]> {
  const { filter, naming = { tags: [] } } = request;
  if (filter.include.length + filter.exclude.length + (filter.only ?? []).length === 0) return [];
  const unprefixed = right.records.flatMap((record): StackRecord[] => {
    const kind = findKind(record.kind);
    const withoutItsPrefix = kind && withoutNamePrefix(kind, record, naming);
    return withoutItsPrefix === undefined ? [] : [withoutItsPrefix];
  });
  return findUnusedPatterns(filter, {
    records: [...left.records, ...transformLeftSide(left, right, request).records, ...right.records, ...unprefixed],
    where: "on either side",
    unread: [...new Set([left, right].flatMap(({ unread = [] }) => unread))],
    nameOf: ({ name }) => name,
  });
}
