import { groupBy } from "../../core/collections.ts";
import type { Warning } from "../../core/outcome.ts";
import { recordKey } from "../../core/records/record.ts";
import { counted, listed } from "../../core/text/plural.ts";
import { nameOfRecord } from "../../kinds/id-spaces.ts";
import type { ArchiveIndex } from "../../references/archive-index.ts";
import type { Decision } from "./decide/decision.ts";
import { willWrite } from "./resolve.ts";

/** So many are named in one warning. */
const MAX_NAMED = 20;

/**
 * A warning for each record that is written with charts which the source showed in the place of what its API cannot show: on the
 * target they are charts like any other (docs/api.md#hidden-tiles).
 */
export function warnOfSubstitutes(decisions: readonly Decision[], archive: ArchiveIndex): Warning[] {
  return decisions.filter(willWrite).flatMap(({ kind, record }): Warning[] => {
    const substitutes = archive.substitutes.get(recordKey(kind.name, record.id)) ?? [];
    if (substitutes.length === 0) return [];
    const named = listed(substitutes, MAX_NAMED, ({ id, name }) => `"${name || id}"`);
    const message = `${nameOfRecord(record)} is written with a chart in the place of ${counted(substitutes.length, "tile")} that the API of the source cannot show: ${named}; look at them on the source, and make them again by hand`;
    return [{ code: "substitute-tiles", message }];
  });
}

/** A warning for records that are created and come back without a state that no write sends (docs/api.md#alerts). */
export function warnOfSilenced(decisions: readonly Decision[]): Warning[] {
  const silenced = decisions.filter(
    ({ action, kind, record }) => action === "create" && kind.isSilenced?.(record.body) === true,
  );
  return [...groupBy(silenced, ({ kind }) => kind)].map(([kind, all]) => {
    const named = listed(all, MAX_NAMED, ({ record }) => `"${record.name || record.id}"`);
    const message = `${counted(all.length, kind.singular)} silenced on the source will notify from the start, as no write silences: ${named}`;
    return { code: "silenced", message };
  });
}
