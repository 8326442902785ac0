import type { IdMap } from "../../core/id-map.ts";
import { childId } from "../../core/id-map.ts";
import type { RecordKey } from "../../core/record.ts";
import type { TargetIndex } from "../../matching/target-index.ts";
import { childIdOf, childrenOf } from "../../references/children.ts";
import type { Decision } from "./decide.ts";

/**
 * Blocks updates that would delete alerts of the target: a `PUT` that leaves out a tile deletes every alert on it (field notes,
 * Dashboards).
 */
export function blockCascadeDeletes(
  decisions: ReadonlyMap<RecordKey, Decision>,
  ids: IdMap,
  target: TargetIndex,
): Map<RecordKey, Decision> {
  return new Map(
    [...decisions].map(([key, decision]) => {
      const alerts = cascadeDeletedAlerts(decision, ids, target);
      if (alerts.length === 0) return [key, decision];
      const message = `the update would remove a tile that these alerts of the target watch: ${alerts.join(", ")}`;
      return [key, { ...decision, action: "blocked", code: "would-delete-alerts", message }];
    }),
  );
}

function cascadeDeletedAlerts(
  { action, kind, record, targetId, replaces }: Decision,
  ids: IdMap,
  target: TargetIndex,
): string[] {
  if (action !== "update" || targetId === undefined || replaces === undefined) return [];
  return kind.children.flatMap((children) => {
    const kept = new Set(
      childrenOf(record.body, children).map((child) => ids.get(children.space, childId(record.id, childIdOf(child)))),
    );
    return childrenOf(replaces.body, children)
      .filter((child) => !kept.has(childIdOf(child)))
      .flatMap((child) => target.dependentsOf(children.space, childId(targetId, childIdOf(child))));
  });
}
