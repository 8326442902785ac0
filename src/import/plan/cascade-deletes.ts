import type { IdMap } from "../../core/plan/id-map.ts";
import { childId } from "../../core/plan/id-map.ts";
import type { RecordKey, StackRecord } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import type { TargetIndex } from "../../matching/target-index.ts";
import { childIdOf, childrenOf } from "../../references/children.ts";
import type { Decision } from "./decide/decision.ts";

/**
 * Blocks updates that would delete alerts of the target. A `PUT` deletes the alerts on every tile that it leaves out
 * (docs/api.md#dashboards), and on every tile of a type that cannot have alerts (docs/api.md#tile-alerts). An alert that a mirror
 * deletes anyway does not block the update, which then waits for its removal.
 */
export function blockCascadeDeletes(
  decisions: ReadonlyMap<RecordKey, Decision>,
  ids: IdMap,
  target: TargetIndex,
  removedFirst: ReadonlySet<RecordKey>,
): Map<RecordKey, Decision> {
  const isRemovedFirst = ({ kind, id }: StackRecord): boolean => removedFirst.has(recordKey(kind, id));
  return new Map(
    [...decisions].map(([key, decision]) => {
      const { removed, lost } = cascadeDeletedAlerts(decision, ids, target);
      const deletedAlerts = [...removed, ...lost];
      if (deletedAlerts.length === 0) return [key, decision];
      if (deletedAlerts.every(isRemovedFirst)) {
        const afterRemovals = [...new Set(deletedAlerts.map(({ kind, id }) => recordKey(kind, id)))];
        return [key, { ...decision, afterRemovals }];
      }
      const message = [textOf(REMOVED, removed, isRemovedFirst), textOf(LOST, lost, isRemovedFirst)].filter(
        (text) => text !== "",
      );
      return [key, { ...decision, action: "blocked", code: "would-delete-alerts", message: message.join("; ") }];
    }),
  );
}

function textOf(why: string, alerts: readonly StackRecord[], isRemovedFirst: (record: StackRecord) => boolean): string {
  const names = alerts.filter((record) => !isRemovedFirst(record)).map(({ name, id }) => name || id);
  return names.length === 0 ? "" : `${why}: ${names.join(", ")}`;
}

const REMOVED = "the update would remove a tile that these alerts of the target watch";
const LOST =
  "these alerts of the target watch a tile of a type that cannot have alerts (only line, stacked-bar and number tiles can), so the update would delete them; move or delete them first";

/** Finds the alerts on tiles that the update removes, and on tiles that lose their alerts in any update. */
function cascadeDeletedAlerts(
  { action, kind, record, targetId, replaces, parts }: Decision,
  ids: IdMap,
  target: TargetIndex,
): { readonly removed: readonly StackRecord[]; readonly lost: readonly StackRecord[] } {
  if (action !== "update" || targetId === undefined || replaces === undefined) return { removed: [], lost: [] };
  const removed: StackRecord[] = [];
  const lost: StackRecord[] = [];
  for (const children of kind.children) {
    const sent = new Map(
      childrenOf(record.body, children).map((child) => [
        ids.get(children.space, childId(record.id, childIdOf(child))),
        child,
      ]),
    );
    const isKept = (position: number): boolean =>
      parts !== undefined && parts.removed?.[children.member]?.includes(position) !== true;
    for (const [position, child] of childrenOf(replaces.body, children).entries()) {
      const dependents = target.dependentsOf(children.space, childId(targetId, childIdOf(child)));
      const becomes = sent.get(childIdOf(child)) ?? (isKept(position) ? child : undefined);
      if (becomes === undefined) removed.push(...dependents);
      else if (children.losesDependents?.(becomes) === true) lost.push(...dependents);
    }
  }
  return { removed, lost };
}
