import type { StackRecord } from "../../core/records/record.ts";
import type { IdSpace } from "../../core/resource-kind.ts";
import { mappableSpaces } from "../../kinds/registry.ts";
import { getOrMake, groupBy } from "../../core/collections.ts";
import type { Unresolved } from "../../core/plan/plan.ts";
import type { Inventory, InventoryOfKind } from "../../matching/inventory.ts";
import { idsInUse } from "../../matching/map-file.ts";
import type { BlockedBy } from "./propagate-blocks.ts";
import type { PlanBasis } from "./resolve-references.ts";
import { nameOf } from "./resolve-references.ts";

type Candidates = Unresolved["candidates"];

/** Lists the ids that block records and that a map file could map. Each id is listed once, with its candidates on the target. */
export function listUnresolved(
  blockers: readonly BlockedBy[],
  { archive, matching, inventory }: PlanBasis,
): Unresolved[] {
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
    const ambiguous = matching.ambiguous.get(space)?.get(id);
    const candidates = ambiguous
      ? getOrMake(namesOf, ambiguous, () => ambiguous.map(({ id: targetId, name }) => ({ id: targetId, name })))
      : getOrMake(offered, space, () => candidatesFor(space, inventory));
    return [
      {
        space,
        id,
        name: nameOf(referenceTarget, archive),
        reason: needs.some(({ isDead }) => isDead) ? "dead" : ambiguous ? "ambiguous" : "missing",
        candidates,
        ...(!isListed(inventory.kinds.get(space)) && { unlisted: true as const }),
        neededBy: new Set(needs.map(({ key }) => key)).size,
      },
    ];
  });
}

/** Lists the target's records of a kind. If the target has no list of the kind, lists the ids that its other records use. */
function candidatesFor(space: IdSpace, inventory: Inventory): Candidates {
  const ofKind = inventory.kinds.get(space);
  if (ofKind !== undefined && isListed(ofKind)) return ofKind.records.map(({ id, name }) => ({ id, name }));
  return [...idsInUse(space, inventory)].map(([id, name]) => ({ id, name }));
}

function isListed(ofKind: InventoryOfKind | undefined): boolean {
  return ofKind !== undefined && ofKind.status !== "not-offered";
}
