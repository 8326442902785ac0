import type { IdMap } from "../core/id-map.ts";
import { valueAtTokens } from "../core/member-path.ts";
import type { Match } from "../core/plan.ts";
import type { KindName } from "../core/record.ts";
import { recordKey } from "../core/record.ts";
import type { IdSpace } from "../core/resource-kind.ts";
import type { ArchiveIndex } from "../references/archive-index.ts";
import { referencesOf, referenceTargetsOf } from "../references/archive-index.ts";
import type { ImportOptions } from "./import-options.ts";
import type { Inventory } from "./inventory.ts";
import { targetLookup } from "./map-file.ts";
import type { RecordPairs } from "./match-records.ts";

/** The user's stand-in (`--default-webhook`) for every id of a space that records point to and nothing else has matched. */
export function defaultMatches(
  archive: ArchiveIndex,
  inventory: Inventory,
  options: ImportOptions,
  ids: IdMap,
): Match[] {
  return Object.entries(options.defaults).flatMap(([space, idOrName]) => {
    const target = targetLookup(space, inventory, "the default")(idOrName);
    const referenceTargets = [...archive.referenceTargets.values()].flat();
    const wanted = new Set(referenceTargets.flatMap((each) => (each.space === space ? [each.id] : [])));
    const open = [...wanted].filter((from) => ids.get(space, from) === undefined);
    return open.map((from) => describe(archive, space, from, target, "default"));
  });
}

/**
 * On a target that does not list a kind (managed webhooks), what its records already use says who is who: where an archived
 * alert and its counterpart notify through webhook A here and B there, A is B. Where two pairs disagree, nothing is learned.
 */
export function inferredMatches(
  archive: ArchiveIndex,
  inventory: Inventory,
  paired: ReadonlyMap<KindName, RecordPairs>,
  ids: IdMap,
): Match[] {
  const isUnlisted = (space: IdSpace): boolean => inventory.kinds.get(space)?.status === "not-offered";
  const seen = new Map<string, { space: IdSpace; from: string; targets: Set<string> }>();
  for (const [kind, { pairs }] of paired) {
    for (const [from, counterpart] of pairs) {
      const record = archive.byKey.get(recordKey(kind, from));
      if (!record || !referenceTargetsOf(archive, record).some(({ space }) => isUnlisted(space))) continue;
      for (const { space, id, form, tokens } of referencesOf(archive, record)) {
        if (form === "embedded" || !isUnlisted(space)) continue;
        const to = valueAtTokens(counterpart.body, tokens);
        if (ids.get(space, id) !== undefined || typeof to !== "string") continue;
        const entry = seen.get(`${space}/${id}`) ?? { space, from: id, targets: new Set() };
        entry.targets.add(to);
        seen.set(`${space}/${id}`, entry);
      }
    }
  }
  return [...seen.values()].flatMap(({ space, from, targets }) => {
    const [to, ...others] = targets;
    if (to === undefined || others.length > 0) return [];
    return [describe(archive, space, from, { id: to, name: to }, "in-use")];
  });
}

function describe(
  archive: ArchiveIndex,
  space: IdSpace,
  from: string,
  to: { id: string; name: string },
  rule: string,
): Match {
  const name = archive.byKey.get(recordKey(space, from))?.name ?? from;
  return { space, from, to: to.id, name, targetName: to.name, rule };
}
