import type { TakenParts } from "../../core/plan/plan.ts";
import type { StackRecord } from "../../core/records/record.ts";
import { childIdOf, childrenOf } from "../../references/children.ts";
import { findReferences } from "../../references/references.ts";
import { knownKind } from "../../kinds/registry.ts";
import { foldIds } from "../../references/known-ids.ts";
import { partsOfTarget, type Part } from "../../references/parts.ts";
import { qualifiedChildId } from "../../core/plan/id-map.ts";
import type { Decision } from "./decide/decision.ts";

/**
 * Takes out of a merge the removal of children that alerts of the target watch: these children are kept and named. If nothing else
 * is merged, nothing is written.
 */
export function keepWatched(
  decision: Decision & { readonly parts: TakenParts },
  alerts: readonly StackRecord[],
  message: string,
): Decision {
  const { kind, replaces, parts, kept = [] } = decision;
  if (replaces === undefined) return decision;
  const watchedIds = new Set(
    alerts.flatMap((alert) =>
      findReferences(knownKind(alert.kind), alert.body, new Map()).map(({ id }) => foldIds(id)),
    ),
  );
  const isWatched = ({ child }: Part): boolean => {
    if (child === undefined || parts.removed?.[child.children.member]?.includes(child.position) !== true) return false;
    const body = childrenOf(replaces.body, child.children)[child.position];
    return body !== undefined && watchedIds.has(foldIds(qualifiedChildId(replaces.id, childIdOf(body))));
  };
  const watched = partsOfTarget(kind, replaces.body).filter(isWatched);
  const isTaken = (member: string, position: number): boolean =>
    !watched.some(({ child }) => child?.children.member === member && child.position === position);
  const removed = Object.entries(parts.removed ?? {}).map(([member, positions]) => [
    member,
    positions.filter((position) => isTaken(member, position)),
  ]);
  const reduced: TakenParts = { ...parts, removed: Object.fromEntries(removed) };
  const merged = { ...decision, parts: reduced, kept: [...kept, ...watched.map(({ key, label }) => ({ key, label }))] };
  if (!takesNothing(reduced)) return merged;
  return {
    ...merged,
    action: "skip",
    code: "both-changed",
    message,
    parts: undefined,
  };
}

function takesNothing({ members = [], taken, removed = {} }: TakenParts): boolean {
  return members.length === 0 && [taken, removed].every((by) => Object.values(by).every(({ length }) => length === 0));
}
