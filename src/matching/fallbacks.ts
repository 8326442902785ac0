import { groupBy } from "../core/collections.ts";
import type { IdMap, IdMapping } from "../core/plan/id-map.ts";
import { valueAtTokens } from "../core/records/member-path.ts";
import type { Match } from "../core/plan/plan.ts";
import type { KindName } from "../core/records/record.ts";
import { recordKey } from "../core/records/record.ts";
import type { IdSpace } from "../core/resource-kind.ts";
import type { ArchiveIndex } from "../references/archive-index.ts";
import { referencesOf, referenceTargetsOf } from "../references/archive-index.ts";
import type { PlanOptions } from "./plan-options.ts";
import type { Inventory } from "./inventory.ts";
import { targetLookup } from "./map-file.ts";
import type { RecordPairs } from "./match-records.ts";

/** Matches every referenced id that has no other match with the user's default for its id space (`--default-webhook`). */
export function defaultMatches(archive: ArchiveIndex, inventory: Inventory, options: PlanOptions, ids: IdMap): Match[] {
  return Object.entries(options.defaults).flatMap(([space, idOrName]) => {
    const target = targetLookup(space, inventory, "the default")(idOrName);
    const referenceTargets = [...archive.referenceTargets.values()].flat();
    const sourceIds = new Set(
      referenceTargets.flatMap((referenceTarget) => (referenceTarget.space === space ? [referenceTarget.id] : [])),
    );
    const unmapped = [...sourceIds].filter((from) => ids.get(space, from) === undefined);
    return unmapped.map((from) => matchOf(archive, space, from, target, "default"));
  });
}

/**
 * Infers matches of kinds that the target does not list (managed webhooks): if an archived alert notifies webhook A, and its
 * counterpart notifies webhook B, then A corresponds to B.
 */
export function inUseMatches(
  archive: ArchiveIndex,
  inventory: Inventory,
  paired: ReadonlyMap<KindName, RecordPairs>,
  ids: IdMap,
): Match[] {
  const isOpen = (space: IdSpace, id: string): boolean =>
    inventory.kinds.get(space)?.status === "not-offered" && ids.get(space, id) === undefined;
  return inferFromPairs(archive, paired, isOpen).map(({ space, from, to }) =>
    matchOf(archive, space, from, { id: to, name: to }, "in-use"),
  );
}

/**
 * Infers that two ids correspond if two matched records use them at the same path. Nothing is inferred for an id if its uses
 * suggest different counterparts.
 */
export function inferFromPairs(
  archive: ArchiveIndex,
  paired: ReadonlyMap<KindName, RecordPairs>,
  isOpen: (space: IdSpace, id: string) => boolean,
): IdMapping[] {
  const used = [...paired].flatMap(([kind, { pairs }]) =>
    [...pairs].flatMap(([from, counterpart]) => {
      const record = archive.byKey.get(recordKey(kind, from));
      if (!record || !referenceTargetsOf(archive, record).some(({ space, id }) => isOpen(space, id))) return [];
      return referencesOf(archive, record).flatMap(({ space, id, form, tokens }): IdMapping[] => {
        if (form === "embedded" || !isOpen(space, id)) return [];
        const to = valueAtTokens(counterpart.body, tokens);
        return typeof to === "string" ? [{ space, from: id, to }] : [];
      });
    }),
  );
  return [...groupBy(used, ({ space, from }) => `${space}/${from}`).values()].flatMap((uses) => {
    const [first, ...others] = uses;
    return first && others.every(({ to }) => to === first.to) ? [first] : [];
  });
}

function matchOf(
  archive: ArchiveIndex,
  space: IdSpace,
  from: string,
  to: { id: string; name: string; unverified?: true },
  rule: string,
): Match {
  const name = archive.byKey.get(recordKey(space, from))?.name ?? from;
  return { space, from, to: to.id, name, targetName: to.name, rule, ...(to.unverified && { unverified: true }) };
}
