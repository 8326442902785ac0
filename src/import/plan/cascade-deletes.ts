import type { IdMap } from "../../core/id-map.ts";
import { childId } from "../../core/id-map.ts";
import type { TargetIndex } from "../../matching/target-index.ts";
import { partId, partsOf } from "../../references/children.ts";
import type { Decision } from "./decide.ts";

/**
 * Names of the target's records that an update would take down with it: a `PUT` that leaves out a tile deletes every alert
 * on it (field notes, Dashboards), and an update must never do that.
 */
export function endangeredUsers(decision: Decision, ids: IdMap, target: TargetIndex): string[] {
  const { kind, record, targetId, replaces } = decision;
  if (targetId === undefined || replaces === undefined) return [];
  return kind.children.flatMap((children) => {
    const kept = new Set(
      partsOf(record.body, children).map((part) => ids.get(children.space, childId(record.id, partId(part)))),
    );
    return partsOf(replaces.body, children)
      .filter((part) => !kept.has(partId(part)))
      .flatMap((part) => target.usersOf(children.space, childId(targetId, partId(part))));
  });
}
