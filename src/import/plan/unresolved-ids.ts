import { recordKey, type StackRecord } from "../../core/records/record.ts";
import { nameSimilarity } from "../../core/text/similarity.ts";
import type { IdSpace } from "../../core/resource-kind.ts";
import { findKind, mappableSpaces } from "../../kinds/registry.ts";
import { getOrMake, groupBy } from "../../core/collections.ts";
import { MAX_CANDIDATES_NAMED, type UnresolvedId, type PlanItem } from "../../core/plan/plan.ts";
import { isListed, type Inventory } from "../../matching/inventory.ts";
import { idsInUse } from "../../matching/map-file.ts";
import { dependentsOfDecided, type PlanBasis } from "./decide/decision.ts";
import type { BlockReason } from "./propagate-blocks.ts";
import { nameOfReferenceTarget } from "../../references/archive-index.ts";
import { ambiguousCandidates } from "./plan-items.ts";

type Candidates = UnresolvedId["candidates"];

/**
 * Lists the ids that block records and that a map file could map. Then lists the ambiguous ids of records that are only matched,
 * although no record needs these ids now.
 */
export function listUnresolvedIds(
  blockers: readonly BlockReason[],
  matchOnly: readonly PlanItem[],
  basis: PlanBasis,
): UnresolvedId[] {
  const blocking = blockingIds(blockers, basis);
  const listed = new Set(blocking.map(({ space, id }) => `${space}/${id}`));
  const ambiguous = matchOnly.flatMap(({ kind: space, sourceId: id, name, code }): UnresolvedId[] => {
    const isNew = code === "ambiguous" && !listed.has(`${space}/${id}`);
    if (!isNew || !mappableSpaces().includes(space)) return [];
    const candidates = candidatesOf(ambiguousCandidates(space, id, basis.matching));
    return [{ space, id, name, reason: "ambiguous", candidates, neededBy: 0 }];
  });
  return [...blocking, ...uncreatableIds(basis), ...ambiguous];
}

/** The codes of records that `--create` does not create, because the target lacks the route or the key lacks the right. */
const UNCREATABLE: readonly (string | undefined)[] = ["not-offered", "forbidden"];

/** Lists the records that `--create` cannot create on this target. Instead, a map file can name a record that the target has. */
function uncreatableIds({ decisions, archive, inventory }: PlanBasis): UnresolvedId[] {
  return [...decisions.values()].flatMap((decision): UnresolvedId[] => {
    const { kind, record, code } = decision;
    if (!UNCREATABLE.includes(code) || !mappableSpaces().includes(kind.name)) return [];
    const about = { space: kind.name, id: record.id, name: record.name, reason: "missing" } as const;
    const candidates = likelyFirst(record, candidatesFor(kind.name, inventory), inventory);
    const ofTarget = { candidates, ...unlistedMark(kind.name, inventory) };
    return [{ ...about, ...ofTarget, neededBy: dependentsOfDecided([decision], archive).length }];
  });
}

/** Lists the ids that block records, each once, with its candidates on the target. */
function blockingIds(blockers: readonly BlockReason[], { archive, matching, inventory }: PlanBasis): UnresolvedId[] {
  const needed = blockers.flatMap(({ key, blocker }) =>
    blocker.referenceTarget
      ? [{ key, referenceTarget: blocker.referenceTarget, isDead: blocker.code === "dead-reference" }]
      : [],
  );
  // Ids of one kind share one list of candidates: thousands of ids with thousands of candidates each would not fit in memory.
  const offered = new Map<IdSpace, Candidates>();
  const namesOf = new Map<readonly StackRecord[], Candidates>();
  const nameable = needed.filter(({ referenceTarget }) => mappableSpaces().includes(referenceTarget.space));
  return [
    ...groupBy(nameable, ({ referenceTarget }) => `${referenceTarget.space}/${referenceTarget.id}`).values(),
  ].flatMap((needs) => {
    const [referenceTarget] = needs.map((need) => need.referenceTarget);
    if (!referenceTarget) return [];
    const { space, id } = referenceTarget;
    const ambiguous = matching.pairs.get(space)?.ambiguous.get(id);
    const candidates = ambiguous
      ? getOrMake(namesOf, ambiguous, () => candidatesOf(ambiguous))
      : likelyFirst(
          archive.byKey.get(recordKey(space, id)),
          getOrMake(offered, space, () => candidatesFor(space, inventory)),
          inventory,
        );
    return [
      {
        space,
        id,
        name: nameOfReferenceTarget(referenceTarget, archive),
        reason: needs.some(({ isDead }) => isDead) ? "dead" : ambiguous ? "ambiguous" : "missing",
        candidates,
        ...unlistedMark(space, inventory),
        neededBy: new Set(needs.map(({ key }) => key)).size,
      },
    ];
  });
}

/** Lists the target's records of a kind. If the target has no list of the kind, lists the ids that its other records use. */
function candidatesFor(space: IdSpace, inventory: Inventory): Candidates {
  if (isListed(inventory, space)) return candidatesOf(inventory.kinds.get(space)?.records ?? []);
  return [...idsInUse(space, inventory)].map(([id, name]) => ({ id, name }));
}

/**
 * Puts the likely counterparts of a record first: those with the most similar names. Leaves out records of another type, such as a
 * source of traces for one of logs. A long list stays as it is, because each id would have a list of its own.
 */
function likelyFirst(record: StackRecord | undefined, candidates: Candidates, inventory: Inventory): Candidates {
  if (record === undefined || candidates.length > MAX_CANDIDATES_NAMED) return candidates;
  const typeOf = findKind(record.kind)?.typeOf;
  const type = typeOf?.(record.body);
  const records = new Map((inventory.kinds.get(record.kind)?.records ?? []).map((target) => [target.id, target]));
  const ofType = candidates.filter(({ id }) => {
    const target = records.get(id);
    return typeOf === undefined || target === undefined || typeOf(target.body) === type;
  });
  const likeness = ({ name }: Candidates[number]): number => nameSimilarity(record.name, name);
  return (ofType.length > 0 ? ofType : candidates).toSorted((left, right) => likeness(right) - likeness(left));
}

function candidatesOf(records: readonly StackRecord[]): Candidates {
  return records.map(({ id, name }) => ({ id, name }));
}

function unlistedMark(space: IdSpace, inventory: Inventory): { readonly unlisted?: true } {
  return isListed(inventory, space) ? {} : { unlisted: true };
}
