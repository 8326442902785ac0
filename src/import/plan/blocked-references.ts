import type { RecordKey, StackRecord } from "../../core/records/record.ts";
import { yieldToEventLoop } from "../../core/event-loop.ts";
import type { ArchiveIndex } from "../../references/archive-index.ts";
import { dependentsOf, decisionKey } from "./decide/decision.ts";
import type { Decision } from "./decide/decision.ts";
import type { Blocker, Resolution } from "./resolve.ts";
import { willWrite, nameOf } from "./resolve.ts";
import { getOrMake, groupBy } from "../../core/collections.ts";
import type { Unresolved } from "../../core/plan/plan.ts";
import type { IdSpace } from "../../core/resource-kind.ts";
import { mappableSpaces } from "../../kinds/registry.ts";
import { idsInUse } from "../../matching/map-file.ts";
import type { Inventory, InventoryOfKind } from "../../matching/inventory.ts";
import type { Matching } from "../../matching/match-all.ts";

/**
 * The decisions after each blocked record has blocked its dependents. Contains the dependencies of the records to write, and the
 * blockers of the blocked records.
 */
export interface Propagated {
  readonly decisions: ReadonlyMap<RecordKey, Decision>;
  readonly resolutions: ReadonlyMap<RecordKey, Resolution>;
  readonly blockers: readonly BlockedBy[];
}

type Resolve = (decision: Decision, decisions: ReadonlyMap<RecordKey, Decision>) => Resolution;

/**
 * Blocks the records that cannot be written, then the records that depend on them, until nothing more is blocked. Each round
 * looks only at the dependents of the records that the previous round blocked.
 */
export async function propagateBlocks(
  decided: ReadonlyMap<RecordKey, Decision>,
  archive: ArchiveIndex,
  resolve: Resolve,
  signal?: AbortSignal,
): Promise<Propagated> {
  const decisions = new Map(decided);
  const resolutions = new Map<RecordKey, Resolution>();
  const blockers: BlockedBy[] = [];
  let pendingKeys: readonly RecordKey[] = [...decisions.keys()];
  while (pendingKeys.length > 0) {
    const writes = pendingKeys.flatMap((key) => decisions.get(key) ?? []).filter(willWrite);
    const round: { readonly decision: Decision; readonly resolution: Resolution }[] = [];
    for (const decision of writes) {
      round.push({ decision, resolution: resolve(decision, decisions) });
      await yieldToEventLoop(signal);
    }
    const blocked = round.filter(({ resolution }) => resolution.blockers.length > 0);
    for (const { decision, resolution } of round) resolutions.set(decisionKey(decision), resolution);
    for (const { decision, resolution } of blocked) {
      const key = decisionKey(decision);
      resolutions.delete(key);
      decisions.set(key, blockDecision(decision, resolution.blockers));
      blockers.push(...resolution.blockers.map((blocker) => ({ key, blocker })));
    }
    pendingKeys = dependentsOf(
      blocked.map(({ decision }) => decision),
      archive,
    );
  }
  return { decisions, resolutions, blockers };
}

function blockDecision(decision: Decision, blockers: readonly Blocker[]): Decision {
  const message = [...new Set(blockers.map((blocker) => blocker.message))].join("; ");
  return { ...decision, action: "blocked", code: blockers[0]?.code ?? "blocked", message };
}

type Candidates = Unresolved["candidates"];

/** A record and one reason why it is blocked. */
export interface BlockedBy {
  readonly key: RecordKey;
  readonly blocker: Blocker;
}

/** Lists the ids that block records and that a map file could map. Each id is listed once, with its candidates on the target. */
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
