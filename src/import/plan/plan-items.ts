import type { IdMap } from "../../core/plan/id-map.ts";
import type { Match, PlanItem, UnverifiedId } from "../../core/plan/plan.ts";
import type { RecordKey, StackRecord } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import type { Inventory } from "../../matching/inventory.ts";
import { childDependents } from "../../matching/target-index.ts";
import type { ArchiveIndex } from "../../references/archive-index.ts";
import { referenceTargetsOf } from "../../references/archive-index.ts";
import { mappedChanges } from "../read/fill-records.ts";
import type { TransformNotes } from "../transform/transform-records.ts";
import type { SuppliedSecrets } from "./decide/blockers.ts";
import type { Decision } from "./decide/decision.ts";
import type { DisplayNames } from "./match-only-items.ts";
import type { Notes } from "./resolve.ts";
import { willWrite } from "./resolve.ts";
import type { orderWrites } from "./write-order.ts";

interface ItemBasis {
  readonly archive: ArchiveIndex;
  readonly inventory: Inventory;
  readonly ids: IdMap;
  readonly matches: readonly Match[];
  readonly order: ReturnType<typeof orderWrites>;
  readonly notes: ReadonlyMap<RecordKey, Notes>;
  readonly transformed: TransformNotes;
  readonly suppliedSecrets: SuppliedSecrets;
  readonly displayNameFor: DisplayNames;
}

/** Makes the items of a plan: each decision, with everything that the user and the writes must know about it. */
export function planItems(decisions: ReadonlyMap<RecordKey, Decision>, basis: ItemBasis): PlanItem[] {
  const { archive, inventory, ids, matches, order, notes, transformed, suppliedSecrets, displayNameFor } = basis;
  const watching = childDependents(inventory);
  const unverified = unverifiedIds(matches);
  return [...decisions].map(([key, decision]): PlanItem => {
    const { dependsOn = [], linksTo = [] } = order.get(key) ?? {};
    const { rewrites = [], leftOut = [] } = notes.get(key) ?? {};
    const { action, kind, targetId = "" } = decision;
    const changed = transformed.changes.get(key);
    const dependents = action === "update" ? (watching.get(recordKey(kind.name, targetId)) ?? []) : [];
    const unverifiedTargets = willWrite(decision) ? unverifiedIn(decision.record, archive, ids, unverified) : [];
    return {
      ...describe(decision),
      ...displayNameFor(decision.record),
      ...mappedOf(decision, suppliedSecrets),
      ...(changed && { transformed: changed }),
      dependsOn,
      linksTo,
      rewrites,
      ...(leftOut.length > 0 && { leftOut }),
      ...(dependents.length > 0 && { dependents }),
      ...(unverifiedTargets.length > 0 && { unverified: unverifiedTargets }),
    };
  });
}

function describe(decision: Decision): Omit<PlanItem, "dependsOn" | "linksTo" | "rewrites" | "leftOut"> {
  const { kind, record, lacked: _lacked, isAnnounced: _isAnnounced, conflicts: _conflicts, ...rest } = decision;
  return { kind: kind.name, sourceId: record.id, name: record.name, ...rest };
}

/** Lists the members of a created record that the map file replaced. */
function mappedOf({ kind, record, action }: Decision, { filled }: SuppliedSecrets): Pick<PlanItem, "mapped"> {
  const archived = action === "create" ? filled.get(recordKey(kind.name, record.id))?.archived : undefined;
  const mapped = archived === undefined ? [] : mappedChanges(record, archived);
  return mapped.length === 0 ? {} : { mapped };
}

/** Collects the ids of the target that nobody could verify, by `space id`. */
function unverifiedIds(matches: readonly Match[]): Map<string, UnverifiedId> {
  const unverifiedMatches = matches.filter(({ unverified }) => unverified === true);
  return new Map(unverifiedMatches.map(({ space, to }) => [`${space} ${to}`, { space, id: to }]));
}

/** Lists the unverified ids that the written record would contain in places that the server checks. */
function unverifiedIn(
  record: StackRecord,
  archive: ArchiveIndex,
  ids: IdMap,
  unverified: ReadonlyMap<string, UnverifiedId>,
): UnverifiedId[] {
  if (unverified.size === 0) return [];
  const used = referenceTargetsOf(archive, record).flatMap(({ space, id, serverValidated }) => {
    const target = unverified.get(`${space} ${ids.get(space, id)}`);
    return serverValidated && target !== undefined ? [target] : [];
  });
  return [...new Set(used)];
}
