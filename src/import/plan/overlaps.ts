import { isJsonArray, isJsonObject, type JsonObject } from "../../core/json.ts";
import type { Warning } from "../../core/outcome.ts";
import { qualifiedChildId } from "../../core/plan/id-map.ts";
import type { ChildIds } from "../../core/resource-kind.ts";
import { nameOfChild, nameOfRecord, nounOf } from "../../kinds/nouns.ts";
import { childIdOf, childrenOf } from "../../references/children.ts";
import { foldIds } from "../../references/known-ids.ts";
import { decisionKey, type Decision, type PlanBasis } from "./decide/decision.ts";

/**
 * Makes a warning for each tile that an update takes from the archive and that will lie on a tile which stays as on the target,
 * although neither side has the two in one place. A run moves no tile by itself.
 */
export function warnOfOverlaps(decision: Decision, basis: PlanBasis): Warning[] {
  const { kind, record } = decision;
  return kind.children.flatMap((childKind) =>
    overlapsOf(childKind, decision, basis).map(([taken, kept]) => {
      const noun = nounOf(childKind.space);
      const message = `in ${nameOfRecord(record)}, the ${noun} "${taken}" will lie on the ${noun} "${kept}", which stays as on the target; move one of them there`;
      return { code: "tiles-overlap", message };
    }),
  );
}

type Pair = readonly [taken: JsonObject, kept: JsonObject];

function overlapsOf(
  childKind: ChildIds,
  decision: Decision,
  { ids, archive }: PlanBasis,
): (readonly [taken: string, kept: string])[] {
  const { member, space, overlap } = childKind;
  const { action, record, replaces, parts } = decision;
  if (action !== "update" || parts === undefined || replaces === undefined || overlap === undefined) return [];
  const { body } = archive.byKey.get(decisionKey(decision)) ?? record;
  const archived = body[member];
  const sources = isJsonArray(archived) ? archived : [];
  const targetIdOf = (child: JsonObject): string =>
    foldIds(ids.get(space, qualifiedChildId(record.id, childIdOf(child))) ?? "");
  const taken = (parts.taken[member] ?? []).map((at) => sources[at] ?? null).filter(isJsonObject);
  const takenIds = new Set(taken.map(targetIdOf));

  const targets = childrenOf(replaces.body, childKind);
  const ownId = (child: JsonObject): string => foldIds(childIdOf(child));
  const kept = targets.filter((child, at) => !takenIds.has(ownId(child)) && !parts.removed?.[member]?.includes(at));
  const isOld = ([one, other]: Pair): boolean => {
    const before = targets.find((child) => ownId(child) === targetIdOf(one));
    const source = sources.filter(isJsonObject).find((child) => targetIdOf(child) === ownId(other));
    return [before && overlap(before, other), source && overlap(one, source)].includes(true);
  };
  const pairs = taken.flatMap((one) => kept.filter((other) => overlap(one, other)).map((other): Pair => [one, other]));
  const added = pairs.filter((pair) => !isOld(pair));
  return added.map(([one, other]) => [nameOfChild(childKind, body, one), nameOfChild(childKind, replaces.body, other)]);
}
