import { qualifiedChildId, type IdMapping } from "../core/plan/id-map.ts";
import type { JsonObject } from "../core/json.ts";
import type { Bases, ChildPairs } from "../core/plan/base.ts";
import { keyOfRecord, type StackRecord } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { childIdOf, childrenOf } from "../references/children.ts";
import type { FindTargetId } from "./match-records.ts";
import type { PlanOptions } from "./plan-options.ts";
import { foldedKey, foldIds } from "../references/known-ids.ts";

/**
 * Makes a function that returns the target's id of a record as earlier runs remember it. The target's record may be gone. If the
 * import has a name prefix, nothing tells whether a record without a name (an alert) that no import wrote is a copy or the original,
 * and the import must not move the original to a copied dashboard.
 */
export function rememberedId(bases: Bases, { naming }: Pick<PlanOptions, "naming">): FindTargetId {
  return (record) => {
    const base = bases.get(keyOfRecord(record));
    const mayBeOriginal = naming.namePrefix !== undefined && base?.ours === false && record.name === "";
    return mayBeOriginal ? undefined : base?.targetId;
  };
}

/** Returns the pairs of a record's children, if the journal knows them for this counterpart. */
export function childrenFromJournal(source: StackRecord, target: StackRecord, bases: Bases): ChildPairs | undefined {
  const base = bases.get(keyOfRecord(source));
  return base !== undefined && foldIds(base.targetId) === foldIds(target.id) ? base.children : undefined;
}

/**
 * Removes the mappings of children that contradict the journal. Also removes the mapping of a child that the journal does not know,
 * if the child has another name on the target: a merge must not confuse two children that are only similar.
 */
export function withoutGuessedChildren(
  mappings: readonly IdMapping[],
  kind: ResourceKind,
  source: Pick<StackRecord, "id" | "body">,
  target: JsonObject,
  known: ChildPairs | undefined,
): IdMapping[] {
  if (known === undefined) return [...mappings];
  const expected = new Map<string, string>();
  const taken = new Set<string>();
  for (const [space, ids] of Object.entries(known)) {
    for (const [id, targetId] of Object.entries(ids)) {
      expected.set(`${space} ${qualifiedChildId(source.id, id)}`, foldIds(targetId));
      taken.add(foldedKey(space, targetId));
    }
  }
  const sourceNames = childNames(kind, source.body, (id) => qualifiedChildId(source.id, id));
  const targetNames = childNames(kind, target, foldIds);
  return mappings.filter(({ space, from, to }) => {
    const [fromKey, toKey] = [`${space} ${from}`, foldedKey(space, to)];
    const expectedId = expected.get(fromKey);
    if (expectedId !== undefined) return expectedId === foldIds(to);
    return !taken.has(toKey) && sourceNames.get(fromKey) === targetNames.get(toKey);
  });
}

function childNames(kind: ResourceKind, body: JsonObject, keyOf: (id: string) => string): ReadonlyMap<string, string> {
  return new Map(
    kind.children.flatMap((children) =>
      childrenOf(body, children).map((child) => [
        `${children.space} ${keyOf(childIdOf(child))}`,
        children.nameOf(child).trim(),
      ]),
    ),
  );
}
