import { recordKey, type StackRecord } from "../../core/records/record.ts";
import { rankCandidates } from "../../core/text/similarity.ts";
import type { IdSpace } from "../../core/resource-kind.ts";
import { findKind, mappableSpaces } from "../../kinds/registry.ts";
import { getOrMake, groupBy } from "../../core/collections.ts";
import { MAX_CANDIDATES_NAMED, type UnresolvedId } from "../../core/plan/plan.ts";
import { isListed, type Inventory } from "../../matching/inventory.ts";
import { idsInUse } from "../../matching/map-file.ts";
import type { PlanBasis } from "./decide/decision.ts";
import type { BlockReason } from "./resolve-references.ts";
import { nameOfReferenceTarget } from "../../references/archive-index.ts";

type Candidates = UnresolvedId["candidates"];

export function listUnresolvedIds(
  blockers: readonly BlockReason[],
  { archive, matching, inventory }: PlanBasis,
): UnresolvedId[] {
  const nameable = blockers.flatMap(({ key, code, referenceTarget }) =>
    referenceTarget && mappableSpaces().includes(referenceTarget.space)
      ? [{ key, referenceTarget, isDead: code === "dead-reference" }]
      : [],
  );
  // Ids of one type share one list: thousands of ids with thousands of candidates each would not fit in memory.
  const offered = new Map<string, Candidates>();
  const namesOf = new Map<readonly StackRecord[], Candidates>();
  return [
    ...groupBy(nameable, ({ referenceTarget }) => `${referenceTarget.space}/${referenceTarget.id}`).values(),
  ].flatMap((needs) => {
    const [first] = needs;
    if (first === undefined) return [];
    const { referenceTarget } = first;
    const { space, id } = referenceTarget;
    const name = nameOfReferenceTarget(referenceTarget, archive);
    const type = typeOf(archive.byKey.get(recordKey(space, id)));
    const ambiguous = matching.pairs.get(space)?.ambiguous.get(id);
    const candidates = ambiguous
      ? getOrMake(namesOf, ambiguous, () => candidatesOf(ambiguous))
      : getOrMake(offered, `${space} ${type ?? ""}`, () => candidatesFor(space, type, inventory));
    return [
      {
        space,
        id,
        name,
        reason: needs.some(({ isDead }) => isDead) ? "dead" : ambiguous ? "ambiguous" : "missing",
        candidates: candidates.length > MAX_CANDIDATES_NAMED ? candidates : rankCandidates(name, candidates),
        ...(!isListed(inventory, space) && { unlisted: true as const }),
        neededBy: new Set(needs.map(({ key }) => key)).size,
      },
    ];
  });
}

function candidatesFor(space: IdSpace, type: string | undefined, inventory: Inventory): Candidates {
  if (!isListed(inventory, space)) return [...idsInUse(space, inventory)].map(([id, name]) => ({ id, name }));
  const records = inventory.kinds.get(space)?.records ?? [];
  const ofType = records.filter((record) => type === undefined || typeOf(record) === type);
  return candidatesOf(ofType.length > 0 ? ofType : records);
}

function typeOf(record: StackRecord | undefined): string | undefined {
  return record && findKind(record.kind)?.typeOf?.(record.body);
}

function candidatesOf(records: readonly StackRecord[]): Candidates {
  return records.map(({ id, name }) => ({ id, name }));
}
