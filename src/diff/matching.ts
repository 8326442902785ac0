import type { IdMapping } from "../core/plan/id-map.ts";
import { IdMap, childId } from "../core/plan/id-map.ts";
import type { ManualMapping } from "../core/plan/plan.ts";
import type { RecordKey, StackIdentity } from "../core/records/record.ts";
import { recordKey } from "../core/records/record.ts";
import type { IdSpace } from "../core/resource-kind.ts";
import type { Steps } from "../core/steps.ts";
import type { JournaledRecord } from "../journal/state.ts";
import { mappableSpaces } from "../kinds/id-spaces.ts";
import { findKind } from "../kinds/registry.ts";
import { inferFromPairs } from "../matching/fallbacks.ts";
import type { ImportOptions } from "../matching/import-options.ts";
import type { Inventory } from "../matching/inventory.ts";
import type { Matching } from "../matching/match-all.ts";
import { matchAllInSteps } from "../matching/match-all.ts";
import { isSameStack } from "../matching/same-stack.ts";
import type { ArchiveIndex } from "../references/archive-index.ts";
import { childIdOf, childrenOf } from "../references/children.ts";

/** The options that a comparison shares with an import: what the import of the left onto the right was asked for. */
export type SharedOptions = Pick<ImportOptions, "kinds" | "filter" | "mapping" | "labels" | "paired">;

/** The planner's options for a comparison. */
export function diffOptions(shared: SharedOptions): ImportOptions {
  return { onConflict: "skip", create: [], defaults: {}, ...shared };
}

/**
 * Matches two sides as an import of the left onto the right would, with two additions. Where both are the same stack, an id
 * means itself. And where only one side lists a kind, its ids are inferred from the records that are paired.
 * @param source the stack of the left side
 */
export function* matchSides(
  left: ArchiveIndex,
  right: Inventory,
  source: StackIdentity,
  shared: SharedOptions,
): Steps<Matching> {
  const { mapping, labels, paired } = shared;
  // The ids of files stand for names and places.
  const same = paired === undefined && isOneStack(left, right, source);
  const options = diffOptions(same ? { ...shared, mapping: { ...idsOfUnlisted(left, right), ...mapping } } : shared);
  // Under a prefix the counterpart of a record is its copy, not what has its id.
  const isCopied = labels.namePrefix !== undefined;
  const journaled = same && !isCopied ? recordsOfBoth(left, right) : new Map<RecordKey, JournaledRecord>();
  const matching = yield* matchAllInSteps(left, right, options, { journaled, ownStack: same, anyPlace: true });
  const { ids, pairs } = matching;
  const more = same
    ? equalChildIds(left, pairs)
    : inferFromPairs(left, pairs, (space, id) => isOpen(space, id, left, right, ids));
  return { ...matching, ids: new IdMap([...ids, ...more]) };
}

/**
 * The same stack by its address, or by most of its ids: it may be known by several addresses. A few equal ids are not enough, as
 * an id means nothing by itself on another stack.
 */
function isOneStack({ byKey }: ArchiveIndex, { kinds, stack }: Inventory, source: StackIdentity): boolean {
  const listed = [...kinds].flatMap(([kind, { records }]) => records.map(({ id }) => recordKey(kind, id)));
  const shared = listed.filter((key) => byKey.has(key)).length;
  return shared > 0 && (isSameStack(source, stack) || shared * 2 >= Math.min(byKey.size, listed.length));
}

/** Records of both sides, in the form of a journal: they are paired by id, whatever became of them since. */
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
function equalChildIds({ byKey }: ArchiveIndex, pairs: Matching["pairs"]): IdMapping[] {
  return [...pairs].flatMap(([kind, { pairs: paired }]) =>
    [...paired].flatMap(([id, counterpart]) => {
      const record = byKey.get(recordKey(kind, id));
      if (record === undefined || counterpart.id !== id) return [];
      return (findKind(kind)?.children ?? []).flatMap((children) => {
        const there = new Set(childrenOf(counterpart.body, children).map(childIdOf));
        const both = childrenOf(record.body, children)
          .map(childIdOf)
          .filter((child) => there.has(child));
        return both.map((child) => ({ space: children.space, from: childId(id, child), to: child }));
      });
    }),
  );
}

/** Nothing has matched the id, and nothing could have: one side does not list such things. */
function isOpen(space: IdSpace, id: string, left: ArchiveIndex, right: Inventory, ids: IdMap): boolean {
  if (!mappableSpaces().includes(space) || ids.get(space, id) !== undefined) return false;
  return !left.byKey.has(recordKey(space, id)) || right.kinds.get(space)?.status !== "complete";
}
