import type { IdMap } from "../../core/importing/id-map.ts";
import type { Match, UnverifiedId } from "../../core/importing/plan.ts";
import type { StackRecord } from "../../core/records/record.ts";
import type { ArchiveIndex } from "../../references/archive-index.ts";
import { referenceTargetsOf } from "../../references/archive-index.ts";

/** The ids of the target that are taken on trust, by `space id`. */
export function unverifiedIds(matches: readonly Match[]): Map<string, UnverifiedId> {
  const open = matches.filter(({ unverified }) => unverified === true);
  return new Map(open.map(({ space, to }) => [`${space} ${to}`, { space, id: to }]));
}

/** Those that a record would be written with where the server looks at them. */
export function unverifiedIn(
  record: StackRecord,
  archive: ArchiveIndex,
  ids: IdMap,
  unverified: ReadonlyMap<string, UnverifiedId>,
): UnverifiedId[] {
  if (unverified.size === 0) return [];
  const used = referenceTargetsOf(archive, record).flatMap(({ space, id, checked }) => {
    const known = unverified.get(`${space} ${ids.get(space, id)}`);
    return checked && known !== undefined ? [known] : [];
  });
  return [...new Set(used)];
}
