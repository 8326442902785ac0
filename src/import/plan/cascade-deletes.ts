import type { IdMap } from "../../core/id-map.ts";
import { childId } from "../../core/id-map.ts";
import type { TargetIndex } from "../../matching/target-index.ts";
import { childIdOf, childrenOf } from "../../references/children.ts";
import type { Decision } from "./decide.ts";

/**
 * Names of the target's records that an update would take down with it: a `PUT` that leaves out a tile deletes every alert
 * on it (field notes, Dashboards), and an update must never do that.
 */
export function cascadeDeletedAlerts(decision: Decision, ids: IdMap, target: TargetIndex): string[] {
  const { kind, record, targetId, replaces } = decision;
  if (targetId === undefined || replaces === undefined) return [];
  return kind.children.flatMap((children) => {
    const kept = new Set(
      childrenOf(record.body, children).map((child) => ids.get(children.space, childId(record.id, childIdOf(child)))),
    );
    return childrenOf(replaces.body, children)
      .filter((child) => !kept.has(childIdOf(child)))
      .flatMap((child) => target.dependentsOf(children.space, childId(targetId, childIdOf(child))));
  });
}
