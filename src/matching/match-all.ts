import { IdMap } from "../core/id-map.ts";
import type { Match } from "../core/plan.ts";
import type { KindName, RecordKey, StackRecord } from "../core/record.ts";
import { recordKey } from "../core/record.ts";
import type { JournaledRecord } from "../journal/state.ts";
import { kinds } from "../kinds/registry.ts";
import type { ArchiveIndex } from "../references/archive-index.ts";
import { foldIds } from "../references/known-ids.ts";
import { defaultMatches, inferredMatches } from "./fallbacks.ts";
import type { ImportOptions } from "./import-options.ts";
import type { Inventory, InventoryOfKind } from "./inventory.ts";
import { manualMatches } from "./map-file.ts";
import { inferMatches, matchLookups } from "./match-lookups.ts";
import type { RecordPairs } from "./match-records.ts";
import { pairKind } from "./pair-kind.ts";

/** Everything that is known of who is who, before anything is decided. */
export interface Matching {
  readonly ids: IdMap;
  readonly matches: readonly Match[];
  /** By kind that is written: who is paired with whom. */
  readonly pairs: ReadonlyMap<KindName, RecordPairs>;
  /** By kind that is looked up: archive id → the target's records that it could be. */
  readonly ambiguous: ReadonlyMap<KindName, ReadonlyMap<string, readonly StackRecord[]>>;
}

const EMPTY: InventoryOfKind = { status: "not-offered", records: [] };

/** Matches lookups first, as what is written points to them, then the kinds that are written, in the registry's order. */
export function matchAll(
  archive: ArchiveIndex,
  inventory: Inventory,
  options: ImportOptions,
  journaled: ReadonlyMap<RecordKey, JournaledRecord>,
): Matching {
  const ids = new IdMap();
  const matches: Match[] = [];
  const learn = (found: readonly Match[]): void => {
    for (const match of found) ids.set(match.space, match.from, match.to);
    matches.push(...found);
  };
  const manual = manualMatches(options.mapping, archive, inventory);
  learn(manual);

  const ambiguous = new Map<KindName, ReadonlyMap<string, readonly StackRecord[]>>();
  for (const kind of kinds.filter((each) => each.notReplayed !== undefined && each.listing !== "by-id")) {
    const archived = archive.byKind.get(kind.name) ?? [];
    const there = inventory.kinds.get(kind.name) ?? EMPTY;
    const taken = manual.filter((match) => match.space === kind.name);
    const lookups = matchLookups(kind, archived, there, taken);
    learn(lookups.matches);
    learn(inferMatches(kind, archived, there, ids));
    ambiguous.set(kind.name, lookups.ambiguous);
  }

  const pairs = new Map<KindName, RecordPairs>();
  for (const kind of kinds.filter((each) => each.notReplayed === undefined)) {
    const there = new Map(inventory.kinds.get(kind.name)?.records.map(({ id: each }) => [foldIds(each), each]));
    for (const { id } of archive.byKind.get(kind.name) ?? []) {
      // What somebody has deleted since then is created anew.
      const targetId = there.get(foldIds(journaled.get(recordKey(kind.name, id))?.targetId ?? ""));
      if (targetId !== undefined && ids.get(kind.name, id) === undefined) ids.set(kind.name, id, targetId);
    }
    pairs.set(kind.name, pairKind(kind, archive, inventory, options, ids));
  }
  learn(defaultMatches(archive, inventory, options, ids));
  learn(inferredMatches(archive, inventory, pairs, ids));
  return { ids, matches, pairs, ambiguous };
}
