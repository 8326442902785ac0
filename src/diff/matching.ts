import type { IdMap } from "../core/id-map.ts";
import { childId } from "../core/id-map.ts";
import { valueAtTokens } from "../core/member-path.ts";
import type { ManualMapping } from "../core/plan.ts";
import type { RecordKey } from "../core/record.ts";
import { recordKey } from "../core/record.ts";
import type { IdSpace } from "../core/resource-kind.ts";
import type { JournaledRecord } from "../journal/state.ts";
import { mappableSpaces } from "../kinds/id-spaces.ts";
import { findKind } from "../kinds/registry.ts";
import type { ImportOptions } from "../matching/import-options.ts";
import type { Inventory } from "../matching/inventory.ts";
import type { Matching } from "../matching/match-all.ts";
import { matchAll } from "../matching/match-all.ts";
import type { ArchiveIndex } from "../references/archive-index.ts";
import { referencesOf } from "../references/archive-index.ts";
import { childIdOf, childrenOf } from "../references/children.ts";

/** Nothing is left out and nothing relabelled: who is who is all that is asked of the planner. */
const PLAIN: ImportOptions = {
  onConflict: "skip",
  kinds: [],
  filter: { include: [], exclude: [] },
  mapping: {},
  defaults: {},
  labels: { tags: [] },
};

/** The planner's options for a comparison. */
export function diffOptions(mapping: ManualMapping): ImportOptions {
  return { ...PLAIN, mapping };
}

/**
 * Who is who on two sides, as an import of the left onto the right would see it, with two additions. Where both are the same
 * stack, an id means itself. And where only one side lists a kind, what paired records use says who is who.
 */
export function matchSides(left: ArchiveIndex, right: Inventory, mapping: ManualMapping): Matching {
  const same = isSameStack(left, right);
  const options = diffOptions(same ? { ...idsOfUnlisted(left, right), ...mapping } : mapping);
  const matching = matchAll(left, right, options, same ? recordsOfBoth(left, right) : new Map());
  if (same) keepPartIds(left, matching);
  else learnFromPairs(left, right, matching);
  return matching;
}

/** Ids are minted by a stack and mean nothing on another, so one that both sides have makes them the same stack. */
function isSameStack({ byKey }: ArchiveIndex, { kinds }: Inventory): boolean {
  return [...kinds].some(([kind, { records }]) => records.some(({ id }) => byKey.has(recordKey(kind, id))));
}

/** Told to the planner as an import's own work is: records that it needs not recognise, whatever became of them since. */
function recordsOfBoth({ byKey }: ArchiveIndex, { kinds }: Inventory): Map<RecordKey, JournaledRecord> {
  const both = new Map<RecordKey, JournaledRecord>();
  for (const [kind, { records }] of kinds) {
    for (const { id, name } of records) {
      const key = recordKey(kind, id);
      if (byKey.has(key)) both.set(key, { targetId: id, name, content: "", created: false, linked: true });
    }
  }
  return both;
}

/** A connection that was replaced on the same stack is another one, though its source still is the same source. */
function idsOfUnlisted({ referred }: ArchiveIndex, { kinds }: Inventory): ManualMapping {
  const unlisted = mappableSpaces().filter((space) => kinds.get(space)?.status !== "complete");
  return Object.fromEntries(
    unlisted.map((space) => [space, Object.fromEntries([...(referred.get(space) ?? [])].map((id) => [id, id]))]),
  );
}

/** On the same stack a tile with the same id is the same tile, whatever it is called now. */
function keepPartIds({ byKey }: ArchiveIndex, { pairs, ids }: Matching): void {
  for (const [name, { pairs: paired }] of pairs) {
    for (const [id, counterpart] of paired) {
      const record = byKey.get(recordKey(name, id));
      if (record === undefined || counterpart.id !== id) continue;
      for (const children of findKind(name)?.children ?? []) {
        const there = new Set(childrenOf(counterpart.body, children).map(childIdOf));
        for (const child of childrenOf(record.body, children).map(childIdOf)) {
          if (there.has(child)) ids.set(children.space, childId(id, child), child);
        }
      }
    }
  }
}

/** Where an alert and its counterpart notify through webhook A here and B there, A is B, unless two pairs disagree. */
function learnFromPairs(left: ArchiveIndex, right: Inventory, { pairs, ids }: Matching): void {
  const seen = new Map<string, { readonly space: IdSpace; readonly id: string; readonly targets: Set<string> }>();
  for (const [name, { pairs: paired }] of pairs) {
    for (const [from, counterpart] of paired) {
      const record = left.byKey.get(recordKey(name, from));
      for (const { space, id, form, tokens } of record ? referencesOf(left, record) : []) {
        if (form === "embedded" || !isOpen(space, id, left, right, ids)) continue;
        const target = valueAtTokens(counterpart.body, tokens);
        if (typeof target !== "string") continue;
        const entry = seen.get(`${space}/${id}`) ?? { space, id, targets: new Set() };
        entry.targets.add(target);
        seen.set(`${space}/${id}`, entry);
      }
    }
  }
  for (const { space, id, targets } of seen.values()) {
    const [only, ...others] = targets;
    if (only !== undefined && others.length === 0) ids.set(space, id, only);
  }
}

/** Nothing has matched the id, and nothing could have: one side does not list such things. */
function isOpen(space: IdSpace, id: string, left: ArchiveIndex, right: Inventory, ids: IdMap): boolean {
  if (!mappableSpaces().includes(space) || ids.get(space, id) !== undefined) return false;
  return !left.byKey.has(recordKey(space, id)) || right.kinds.get(space)?.status !== "complete";
}
