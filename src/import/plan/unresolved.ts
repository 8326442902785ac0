import { getOrMake, groupBy } from "../../core/collections.ts";
import type { Unresolved } from "../../core/plan/plan.ts";
import type { RecordKey, StackRecord } from "../../core/records/record.ts";
import type { IdSpace } from "../../core/resource-kind.ts";
import { mappableSpaces } from "../../kinds/id-spaces.ts";
import { idsInUse } from "../../matching/ids-in-use.ts";
import type { Inventory, InventoryOfKind } from "../../matching/inventory.ts";
import type { Matching } from "../../matching/match-all.ts";
import type { ArchiveIndex } from "../../references/archive-index.ts";
import type { Blocker } from "./resolve.ts";
import { nameOf } from "./resolve.ts";

type Candidates = Unresolved["candidates"];

/** A record and one thing that stands in its way. */
export interface BlockedBy {
  readonly key: RecordKey;
  readonly blocker: Blocker;
}

/** What a map file could name so that blocked records are not: each id once, with the target's records it could be. */
export function listUnresolved(
  blockers: readonly BlockedBy[],
  archive: ArchiveIndex,
  matching: Matching,
  inventory: Inventory,
): Unresolved[] {
  const needed = blockers.flatMap(({ key, blocker }) =>
    blocker.referenceTarget
      ? [{ key, referenceTarget: blocker.referenceTarget, isDead: blocker.code === "dead-reference" }]
      : [],
  );
  // One list for all that share it: thousands of ids, each with a list of thousands, would not fit in memory.
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
      ? getOrMake(namesOf, ambiguous, () => ambiguous.map(({ id: each, name }) => ({ id: each, name })))
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

/** The target's records of that kind; where it has no such list, the ids that its records use. */
function candidatesFor(wanted: IdSpace, inventory: Inventory): Candidates {
  const known = inventory.kinds.get(wanted);
  if (known !== undefined && isListed(known)) return known.records.map(({ id, name }) => ({ id, name }));
  return [...idsInUse(wanted, inventory)].map(([id, name]) => ({ id, name }));
}

function isListed(known: InventoryOfKind | undefined): boolean {
  return known !== undefined && known.status !== "not-offered";
}
