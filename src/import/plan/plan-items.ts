import type { IdMap } from "../../core/plan/id-map.ts";
import { recordKey, type RecordKey, type StackRecord } from "../../core/records/record.ts";
import { referenceTargetsOf, type ArchiveIndex } from "../../references/archive-index.ts";
import { membersFromMapFile } from "../read/map-file-members.ts";
import type { SuppliedSecrets } from "../read/fill-records.ts";
import type { ReferenceNotes, PlanBasis } from "./resolve-references.ts";
import { willWrite, type Decision } from "./decide/decision.ts";
import type { orderWrites } from "./write-order.ts";
import { MAX_DISPLAY_NAMES, displayNameMember } from "../../kinds/display-names.ts";
import { type Match, type PlanItem, type UnverifiedId } from "../../core/plan/plan.ts";

/** Makes the items of a plan: each decision, with everything that the user and the writes must know about it. */
export function makePlanItems(
  basis: PlanBasis,
  order: ReturnType<typeof orderWrites>,
  notes: ReadonlyMap<RecordKey, ReferenceNotes>,
  displayNameFor: FindDisplayName,
): PlanItem[] {
  const { decisions, archive, target, ids, matching, transformed, suppliedSecrets } = basis;
  const unverified = unverifiedIds(matching.matches);
  return [...decisions].map(([key, decision]): PlanItem => {
    const { dependsOn = [], linksTo = [] } = order.get(key) ?? {};
    const { rewrites = [], leftOut = [] } = notes.get(key) ?? {};
    const { action, kind, targetId = "" } = decision;
    const changed = transformed.changes.get(key);
    const dependents = action === "update" ? target.dependentsOn(recordKey(kind.name, targetId)) : [];
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
  const { kind, record, afterMoves: _afterMoves, ...rest } = decision;
  return { kind: kind.name, sourceId: record.id, name: record.name, ...rest };
}

/** Lists the members of a created record that the map file replaced. */
function mappedOf({ kind, record, action }: Decision, { filled }: SuppliedSecrets): Pick<PlanItem, "mapped"> {
  const archived = action === "create" ? filled.get(recordKey(kind.name, record.id))?.unfilled : undefined;
  const mapped = archived === undefined ? [] : membersFromMapFile(record, archived);
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

/** A function that returns a display name for a record without a name. */
export type FindDisplayName = (record: StackRecord) => Pick<PlanItem, "displayName">;

/** Makes a function that derives display names from the referenced records, for the first thousand records without a name. */
export function displayNameFinder({ byKey }: ArchiveIndex): FindDisplayName {
  let namesLeft = MAX_DISPLAY_NAMES;
  return (record) => {
    if (record.name.trim() !== "" || namesLeft === 0) return {};
    namesLeft -= 1;
    return displayNameMember(record, (kind, id) => byKey.get(recordKey(kind, id)));
  };
}
