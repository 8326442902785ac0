import { IdMap, type IdMapping } from "../core/plan/id-map.ts";
import type { Warning } from "../core/outcome.ts";
import type { RecordState } from "../core/plan/state.ts";
import type { Match } from "../core/plan/plan.ts";
import type { JournaledRecord } from "../journal/replay.ts";
import { findKind, kinds } from "../kinds/registry.ts";
import type { PlanOptions } from "./plan-options.ts";
import { isListed, type Inventory, type InventoryOfKind } from "./inventory.ts";
import { manualMatches, targetLookup, type FindMappedEarlier } from "./map-file.ts";
import { inferMatches, matchDependencies, placeComparer, unanimousMappings } from "./match-dependencies.ts";
import type { RecordPairs } from "./match-records.ts";
import { pairKind, translatedBody, type PairBasis } from "./pair-kind.ts";
import { mappingsFromEarlierRuns, withoutMappedIds, withoutMatchedPairs } from "./from-state.ts";
import { foldedKey } from "../references/known-ids.ts";
import { valueAtTokens } from "../core/records/member-path.ts";
import { recordKey, splitKey, type KindName, type RecordKey, type StackRecord } from "../core/records/record.ts";
import type { IdSpace } from "../core/resource-kind.ts";
import { referencesOf, referenceTargetsOf, type ArchiveIndex } from "../references/archive-index.ts";

/** The ids and records of an archive with their counterparts on a target. */
export interface Matching {
  readonly ids: IdMap;
  readonly matches: readonly Match[];
  /** The pairs of the kinds whose records are written. */
  readonly pairs: ReadonlyMap<KindName, RecordPairs>;
  /** For kinds that are only matched: archive id → candidates on the target. */
  readonly ambiguous: ReadonlyMap<KindName, ReadonlyMap<string, readonly StackRecord[]>>;
  /** For kinds that are only matched: archive id → the target's records with the same name whose data is in another place. */
  readonly elsewhere: ReadonlyMap<KindName, ReadonlyMap<string, readonly StackRecord[]>>;
  /** Warnings about map file entries for records that this archive lacks. */
  readonly warnings: readonly Warning[];
}

/** The other inputs of `matchAll`, besides the archive, the target and the options. */
export interface MatchBasis extends Omit<PairBasis, "archive" | "inventory" | "options" | "ids"> {
  readonly journaled: ReadonlyMap<RecordKey, JournaledRecord>;
  /** Set in a comparison of two stacks: records with the same name match even if their data is in different places. */
  readonly anyPlace?: true;
}

const EMPTY: InventoryOfKind = { status: "not-offered", records: [] };

/**
 * Matches an archive with a target. Each step translates records with the ids found so far, so the order matters. Sources and
 * webhooks are matched before the dashboards and alerts that reference them. Fallbacks come last, and only apply to ids that no
 * other step has matched.
 */
export async function matchAll(
  archive: ArchiveIndex,
  inventory: Inventory,
  options: PlanOptions,
  { anyPlace, ...given }: MatchBasis,
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
  const basis = { ...given, archive, inventory, options, ids };
  const { manual, earlier, warnings } = givenMatches(archive, inventory, options, basis);
  addMatches(manual);
  const ambiguous = new Map<KindName, ReadonlyMap<string, readonly StackRecord[]>>();
  const elsewhere = new Map<KindName, ReadonlyMap<string, readonly StackRecord[]>>();
  const pairs = new Map<KindName, RecordPairs>();
  const differInPlace = anyPlace ? () => false : placeComparer(archive, inventory, ids);
  for (const { kind, fromJournal, fromState } of earlier) {
    if (kind.importPolicy.when === "always") {
      addMappings([...fromJournal, ...fromState]);
      const paired = await pairKind(kind, basis);
      addMappings(paired.mappings);
      pairs.set(kind.name, paired);
    } else if (kind.importPolicy.when === "on-request") {
      const archived = archive.byKind.get(kind.name) ?? [];
      const ofKind = inventory.kinds.get(kind.name) ?? EMPTY;
      addMappings(fromJournal);
      addMatches(matchesFromState(fromState, archive, ofKind));
      const lookups = matchDependencies(kind, archived, ofKind, {
        mapped: new Set(manual.flatMap(({ space, from }) => (space === kind.name ? [from] : []))),
        written: new Map([...fromJournal, ...fromState].map(({ from, to }) => [from, to])),
        translated: (record) => translatedBody(kind, record, { archive, options, ids }),
        differInPlace,
        ...given,
      });
      addMatches(lookups.matches);
      addMatches(inferMatches(kind, archived, ofKind, ids, { ...lookups, differInPlace }));
      ambiguous.set(kind.name, lookups.ambiguous);
      elsewhere.set(kind.name, lookups.elsewhere);
    }
  }
  addMatches(defaultMatches(archive, inventory, options, ids));
  addMatches(inUseMatches(archive, inventory, pairs, ids));
  return { ids, matches, pairs, ambiguous, elsewhere, warnings };
}

/**
 * Collects the matches that follow from the map file, from earlier runs and from the names in code files. `earlier` has, for each
 * kind, the ids that earlier runs of this import (in the journal) and other imports (in the states) have given to its records. The
 * map file takes precedence over earlier runs, and these over names in code files.
 */
function givenMatches(
  archive: ArchiveIndex,
  inventory: Inventory,
  options: PlanOptions,
  { journaled, recordStates, reversePairs }: Pick<MatchBasis, "journaled" | "recordStates" | "reversePairs">,
) {
  const mappedEarlier = finderOfMapped({ journaled, recordStates }, inventory, options);
  const ownStates = withoutOriginals(recordStates, archive, options);
  const { matches: fromMapFile, warnings } = manualMatches(options.mapping, archive, inventory, mappedEarlier);
  const earlier = kinds.map((kind) => {
    const fromJournal = withoutMappedIds(mappingsFromEarlierRuns(kind, archive, inventory, journaled), fromMapFile);
    const stateIds = mappingsFromEarlierRuns(kind, archive, inventory, ownStates);
    const fromOwnState = withoutMappedIds(stateIds, [...fromMapFile, ...fromJournal]);
    const reverseIds = mappingsFromEarlierRuns(kind, archive, inventory, reversePairs);
    const fromReverse = withoutMappedIds(reverseIds, [...fromMapFile, ...fromJournal, ...fromOwnState]);
    return { kind, fromJournal, fromState: [...fromOwnState, ...fromReverse] };
  });
  const decided = [...fromMapFile, ...earlier.flatMap(({ fromJournal, fromState }) => [...fromJournal, ...fromState])];
  const byName = withoutMatchedPairs(options.paired ?? {}, decided);
  return { manual: [...fromMapFile, ...manualMatches(byName, archive, inventory).matches], earlier, warnings };
}

/**
 * If the import has a name prefix, removes the states of records that have no name (alerts) and that no import wrote: nothing tells
 * whether the target's record is a copy or the original, and the import must not move the original to a copied dashboard.
 */
function withoutOriginals(
  recordStates: ReadonlyMap<RecordKey, RecordState>,
  archive: ArchiveIndex,
  { naming }: PlanOptions,
): ReadonlyMap<RecordKey, RecordState> {
  if (naming.namePrefix === undefined) return recordStates;
  return new Map([...recordStates].filter(([key, { written }]) => written || archive.byKey.get(key)?.name !== ""));
}

/**
 * Makes a function that finds the target's record that a name in the map file meant in an earlier import. The state contains this
 * name. If a run was killed before it saved the state, its journal contains the name, in the content that the run replaced.
 * Under `--on-conflict duplicate`, the record of an earlier import is the copy that the import put beside the mapped record.
 */
function finderOfMapped(
  { journaled, recordStates }: Pick<MatchBasis, "journaled" | "recordStates">,
  inventory: Inventory,
  { onConflict }: PlanOptions,
): FindMappedEarlier {
  return (space, from, name) => {
    const [key, kind] = [recordKey(space, from), findKind(space)];
    const [recordState, written] = [recordStates.get(key), journaled.get(key)];
    if (onConflict === "duplicate" && (written ?? recordState?.written)) return (written ?? recordState)?.targetId;
    if (recordState?.mappedAs === name) return recordState.targetId;
    if (kind === undefined) return undefined;
    if (written?.previous !== undefined && kind.nameOf(written.previous).trim() === name) return written.targetId;
    return onlyOtherNamesake(name, key, { journaled, recordStates }, inventory);
  };
}

/**
 * Returns the target's record with this name if it has two, and an earlier import wrote the other one for the archive's own record
 * of this name. Returns undefined if more records are possible.
 * @param key the record of the archive that the map file maps to this name
 */
function onlyOtherNamesake(
  name: string,
  key: RecordKey,
  { journaled, recordStates }: Pick<MatchBasis, "journaled" | "recordStates">,
  inventory: Inventory,
): string | undefined {
  const [space] = splitKey(key);
  const namesakes = inventory.kinds.get(space)?.records.filter((record) => record.name.trim() === name) ?? [];
  if (namesakes.length < 2) return undefined;
  const written = [...[...recordStates].filter(([, recordState]) => recordState.written), ...journaled];
  const ofOthers = written.filter(([other, record]) => other !== key && record.name.trim() === name);
  const taken = new Set(ofOthers.map(([other, { targetId }]) => foldedKey(splitKey(other)[0], targetId)));
  const [only, ...more] = namesakes.filter(({ id }) => !taken.has(foldedKey(space, id)));
  return more.length === 0 ? only?.id : undefined;
}

/** Matches every referenced id that is still unmatched with the user's default for its id space (`--default-webhook`). */
function defaultMatches(archive: ArchiveIndex, inventory: Inventory, options: PlanOptions, ids: IdMap): Match[] {
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
function inUseMatches(
  archive: ArchiveIndex,
  inventory: Inventory,
  paired: ReadonlyMap<KindName, RecordPairs>,
  ids: IdMap,
): Match[] {
  const isOpen = (space: IdSpace, id: string): boolean =>
    inventory.kinds.has(space) && !isListed(inventory, space) && ids.get(space, id) === undefined;
  return inferFromPairs(archive, paired, isOpen).map(({ space, from, to }) =>
    matchOf(archive, space, from, { id: to, name: to }, "in-use"),
  );
}

/** Infers that two ids correspond if two matched records use them at the same path, and no use suggests another id. */
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
  return unanimousMappings(used);
}

/** Turns the mappings of a kind from the state into matches, for the plan to show. */
function matchesFromState(
  mappings: readonly IdMapping[],
  archive: ArchiveIndex,
  { records }: InventoryOfKind,
): Match[] {
  const names = new Map(records.map(({ id, name }) => [id, name]));
  return mappings.map(({ space, from, to }) =>
    matchOf(archive, space, from, { id: to, name: names.get(to) ?? to }, "state"),
  );
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
