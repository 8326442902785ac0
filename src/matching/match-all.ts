import { groupBy } from "../core/collections.ts";
import { IdMap, type IdMapping } from "../core/plan/id-map.ts";
import type { Warning } from "../core/outcome.ts";
import type { Bases } from "../core/plan/base.ts";
import type { Match } from "../core/plan/plan.ts";
import { placesAt } from "../core/records/member-path.ts";
import { keyOfRecord, recordKey, type KindName, type StackRecord } from "../core/records/record.ts";
import type { IdSpace, ResourceKind } from "../core/resource-kind.ts";
import { kinds } from "../kinds/registry.ts";
import type { ArchiveIndex } from "../references/archive-index.ts";
import { recordFinder, type Inventory } from "./inventory.ts";
import { manualMatches, type ManualMatches } from "./map-file.ts";
import { placeComparer, type FindTargetId, type GivenIds, type RecordPairs } from "./match-records.ts";
import { pairKind, type PairBasis } from "./pair-kind.ts";
import type { PlanOptions } from "./plan-options.ts";

export interface Matching {
  readonly ids: IdMap;
  /** The matches that a plan shows. */
  readonly matches: readonly Match[];
  readonly pairs: ReadonlyMap<KindName, RecordPairs>;
  readonly warnings: readonly Warning[];
}

export type MatchBasis = Pick<PairBasis, "bases" | "ownStack" | "isMadeAgain" | "signal" | "isComparison">;

/**
 * References are translated before a comparison, so a kind comes after the kinds that it references.
 * @throws StackferryError `usage` for mistakes in the map file
 */
export async function matchAll(
  archive: ArchiveIndex,
  inventory: Inventory,
  options: PlanOptions,
  given: MatchBasis,
): Promise<Matching> {
  const ids = new IdMap();
  const matches: Match[] = [];
  const addMappings = (mappings: readonly IdMapping[]): void => {
    for (const { space, from, to } of mappings) ids.set(space, from, to);
  };
  const addMatches = (found: readonly Match[]): void => {
    addMappings(found);
    matches.push(...found);
  };
  const { matches: ofMapFile, other, warnings } = manualMatches({ archive, inventory, options });
  addMatches(ofMapFile);
  const mappedIds = new IdMap(matches);
  const givenIds: GivenIds = {
    mappedId: ({ kind, id }) => mappedIds.get(kind, id),
    rememberedId: rememberedId(given.bases, options),
    namedId: idFromFileName(options),
  };
  // A comparison matches records of the same name even if their data is in different places.
  const differInPlace = given.isComparison ? () => false : placeComparer(archive, inventory, ids);
  const basis: PairBasis = { ...given, archive, inventory, options, ids, given: givenIds, differInPlace };
  const pairs = new Map<KindName, RecordPairs>();
  for (const kind of kinds) {
    const paired = await pairKind(kind, basis);
    pairs.set(kind.name, paired);
    addMappings(paired.mappings);
    if (kind.importPolicy.when !== "on-request") continue;
    matches.push(...foundMatches(kind, archive, paired));
    // A comparison of a stack with itself infers no match: there, different ids mean different records.
    if (given.isComparison === true && given.ownStack) continue;
    addMatches(inferMatches(kind, paired.ambiguous, basis));
  }
  if (other !== undefined) addMatches(matchesOfOthers(archive, other, ids));
  return { ids, matches, pairs, warnings };
}

/** With a prefix, an unnamed counterpart that no import wrote may be an original, so it does not count. */
function rememberedId(bases: Bases, { namePrefix }: Pick<PlanOptions, "namePrefix">): FindTargetId {
  return (record) => {
    const base = bases.get(keyOfRecord(record));
    const mayBeOriginal = namePrefix !== undefined && base?.ours === false && record.name === "";
    return mayBeOriginal ? undefined : base?.targetId;
  };
}

function idFromFileName({ paired = {} }: PlanOptions): FindTargetId {
  return ({ kind, id }) => {
    const to = paired[kind]?.[id];
    return typeof to === "string" ? to : undefined;
  };
}

function matchesOfOthers(archive: ArchiveIndex, other: NonNullable<ManualMatches["other"]>, ids: IdMap): Match[] {
  const space = "webhooks";
  const unmatched = [...(archive.referencedIds.get(space) ?? [])].filter((from) => ids.get(space, from) === undefined);
  return unmatched.map((from) => matchOf(archive, space, from, other, "map-file"));
}

function foundMatches(kind: ResourceKind, archive: ArchiveIndex, { pairs, rungs }: RecordPairs): Match[] {
  return [...rungs].flatMap(([id, rung]): Match[] => {
    const record = pairs.get(id);
    return record === undefined || rung === "map-file" ? [] : [matchOf(archive, kind.name, id, record, rung)];
  });
}

/** The connections of a source and of its counterpart correspond. */
function inferMatches(
  kind: ResourceKind,
  ambiguous: RecordPairs["ambiguous"],
  { archive, inventory, ids, differInPlace }: PairBasis,
): Match[] {
  const find = recordFinder(inventory);
  const counterparts = ({ id }: StackRecord): readonly StackRecord[] => {
    const matched = find(kind.name, ids.get(kind.name, id) ?? "");
    // An equal id alone is not evidence of a match.
    return matched ? [matched] : (ambiguous.get(id) ?? []).filter((candidate) => candidate.id !== id);
  };
  const archived = archive.byKind.get(kind.name) ?? [];
  // The map file can match sources in different places, so only the places of their connections count.
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

function unanimousMappings(mappings: readonly IdMapping[]): IdMapping[] {
  return [...groupBy(mappings, ({ space, from }) => `${space}/${from}`).values()].flatMap(([first, ...others]) =>
    first && others.every(({ to }) => to === first.to) ? [first] : [],
  );
}

function matchOf(
  archive: ArchiveIndex,
  space: IdSpace,
  from: string,
  to: Pick<StackRecord, "id" | "name">,
  rule: string,
): Match {
  const name = archive.byKey.get(recordKey(space, from))?.name ?? from;
  return { space, from, to: to.id, name, targetName: to.name, rule };
}
