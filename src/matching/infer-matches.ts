import { groupBy } from "../core/collections.ts";
import type { IdMap, IdMapping } from "../core/plan/id-map.ts";
import type { Match } from "../core/plan/plan.ts";
import { placesAt, valueAtTokens } from "../core/records/member-path.ts";
import { recordKey, type KindName, type StackRecord } from "../core/records/record.ts";
import type { IdSpace, ResourceKind } from "../core/resource-kind.ts";
import { isAlwaysWritten } from "../kinds/registry.ts";
import { referencesOf, referenceTargetsOf, type ArchiveIndex } from "../references/archive-index.ts";
import { recordFinder, type Inventory } from "./inventory.ts";
import type { RecordPairs } from "./match-records.ts";
import type { DifferInPlace } from "./places.ts";

/**
 * Infers matches of ids that no list offers (connections) from matched records: the connection of source A corresponds to the
 * connection of A's counterpart. If A has several candidates, all of them count. Infers nothing if two sources or candidates
 * suggest different connections, or if the connections lead to different places.
 */
export function inferMatches(
  kind: ResourceKind,
  archive: ArchiveIndex,
  inventory: Inventory,
  ids: IdMap,
  { ambiguous, differInPlace }: Pick<RecordPairs, "ambiguous"> & { readonly differInPlace: DifferInPlace },
): Match[] {
  const find = recordFinder(inventory);
  const counterparts = ({ id }: StackRecord): readonly StackRecord[] => {
    const matched = find(kind.name, ids.get(kind.name, id) ?? "");
    // An equal id alone is not evidence of a match.
    return matched ? [matched] : (ambiguous.get(id) ?? []).filter((candidate) => candidate.id !== id);
  };
  const archived = archive.byKind.get(kind.name) ?? [];
  // The records' own places may differ if a map file matched them, so only the places of the referenced records count.
  const pointing = { ...kind, dataPlaceOf: () => undefined };
  return kind.idsLearnedFrom.flatMap(({ path, space }) => {
    const inferred = archived.flatMap((record) =>
      counterparts(record).flatMap((target) => {
        if (differInPlace(pointing, record, target)) return [];
        const [from, to] = [record, target].map(({ body }) => placesAt(body, path)[0]?.value);
        return typeof from === "string" && typeof to === "string" ? [{ space, from, to }] : [];
      }),
    );
    return unanimousMappings(inferred).flatMap(({ from, to }) =>
      ids.get(space, from) === undefined
        ? [matchOf(archive, space, from, find(space, to) ?? { id: to, name: to }, "inferred")]
        : [],
    );
  });
}

/** Infers that two ids correspond if two matched records use them at the same path, and no use suggests another id. */
export function inferFromPairs(
  archive: ArchiveIndex,
  paired: ReadonlyMap<KindName, RecordPairs>,
  isOpen: (space: IdSpace, id: string) => boolean,
): IdMapping[] {
  const written = [...paired].filter(([kind]) => isAlwaysWritten(kind));
  const used = written.flatMap(([kind, { pairs }]) =>
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
  return unanimousMappings(used);
}

/** Returns one mapping for each id for which all mappings suggest the same counterpart. */
function unanimousMappings(mappings: readonly IdMapping[]): IdMapping[] {
  return [...groupBy(mappings, ({ space, from }) => `${space}/${from}`).values()].flatMap(([first, ...others]) =>
    first && others.every(({ to }) => to === first.to) ? [first] : [],
  );
}

/** Makes a match with the names of both sides; an id without a known name is its name. */
export function matchOf(
  archive: ArchiveIndex,
  space: IdSpace,
  from: string,
  to: Pick<StackRecord, "id" | "name">,
  rule: string,
): Match {
  const name = archive.byKey.get(recordKey(space, from))?.name ?? from;
  return { space, from, to: to.id, name, targetName: to.name, rule };
}
