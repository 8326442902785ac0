import type { ManualMapping } from "../core/plan/plan.ts";
import { recordKey, isSameStack, type StackIdentity } from "../core/records/record.ts";
import { isAlwaysWritten, mappableSpaces } from "../kinds/registry.ts";
import { matchAll, type Matching } from "../matching/match-all.ts";
import type { PlanOptions } from "../matching/plan-options.ts";
import type { Inventory } from "../matching/inventory.ts";
import type { ArchiveIndex } from "../references/archive-index.ts";

/**
 * Matches two sides as an import of the left side into the right side would, with one more rule: if both sides are one stack, equal
 * ids match.
 * @param source the stack of the left side
 */
export async function matchSides(
  left: ArchiveIndex,
  right: Inventory,
  source: StackIdentity,
  given: PlanOptions,
  signal: AbortSignal | undefined,
): Promise<Matching> {
  const { mapping, paired } = given;
  // Ids of code files are derived from names and positions, so they are never compared with the ids of a stack.
  const same = paired === undefined && isOneStack(left, right, source);
  const options = same ? { ...given, mapping: { ...idsOfUnlisted(left, right), ...mapping } } : given;
  return matchAll(left, right, options, { bases: new Map(), ownStack: same, isComparison: true, signal });
}

/**
 * Tells whether both sides are one stack: they share ids, and they have the same address or share at least half of their ids. Equal
 * addresses are not required, because a stack may have several. A few equal ids are not enough, because an equal id on another
 * stack proves nothing.
 */
function isOneStack({ byKey }: ArchiveIndex, { kinds, stack }: Inventory, source: StackIdentity): boolean {
  const listed = [...kinds].flatMap(([kind, { records }]) => records.map(({ id }) => recordKey(kind, id)));
  const shared = listed.filter((key) => byKey.has(key)).length;
  return shared > 0 && (isSameStack(source, stack) || shared * 2 >= Math.min(byKey.size, listed.length));
}

/**
 * Maps each id of a kind that the right side does not list to the same id. On one stack, two ids are always two records: if a
 * source first used one connection and later another, these two connections must not be paired.
 */
function idsOfUnlisted({ referencedIds }: ArchiveIndex, { kinds }: Inventory): ManualMapping {
  const unlisted = mappableSpaces().filter(
    (space) => !isAlwaysWritten(space) && kinds.get(space)?.status !== "complete",
  );
  return Object.fromEntries(
    unlisted.map((space) => [space, Object.fromEntries([...(referencedIds.get(space) ?? [])].map((id) => [id, id]))]),
  );
}
