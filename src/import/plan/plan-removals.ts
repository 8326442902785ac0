import type { Warning } from "../../core/outcome.ts";
import type { RecordKey, StackRecord } from "../../core/records/record.ts";
import { recordKey, targetKey } from "../../core/records/record.ts";
import type { PlannedMirror, Removal } from "../../core/plan/plan.ts";
import { findKind, kinds } from "../../kinds/registry.ts";
import type { Inventory } from "../../matching/inventory.ts";
import { findReferences } from "../../references/references.ts";
import type { Decision } from "./decide/decision.ts";
import { isRemovedBeforeWrites } from "../remove/find-removals.ts";
import { dependentsThatStay, usersText, warnOfGoing } from "../remove/dependents.ts";
import { allowedDeletes, isTooMany, tooManyText } from "../remove/mirror-limits.ts";
import type { MirrorBasis } from "../remove/mirror-limits.ts";

/** Returns the keys of the records that are deleted before all other writes. */
export function removedBeforeWrites(removals: readonly Removal[]): ReadonlySet<RecordKey> {
  return new Set(
    removals.filter((removal) => removal.action === "delete" && isRemovedBeforeWrites(removal)).map(targetKey),
  );
}

/**
 * Blocks removals that would break other records: if a record stays and references the removed one, the removal is blocked
 * (`in-use`). Updated records are not checked, because they reference no removed record.
 */
export function planRemovals(
  removals: readonly Removal[],
  decisions: Iterable<Decision>,
  inventory: Inventory,
  mirror: MirrorBasis,
): { readonly mirror: PlannedMirror; readonly warnings: readonly Warning[] } {
  const actionByTarget = new Map(
    [...decisions].flatMap(({ kind, targetId, action }) =>
      targetId === undefined ? [] : [[recordKey(kind.name, targetId), action] as const],
    ),
  );
  const usedBy = (record: StackRecord): RecordKey[] => {
    const action = actionByTarget.get(recordKey(record.kind, record.id));
    return action === "update" ? [] : neededBy(record, action !== undefined);
  };
  const deleted = new Set(removals.filter(({ action }) => action === "delete").map(targetKey));
  const dependents =
    deleted.size === 0 ? new Map<RecordKey, string[]>() : dependentsThatStay(inventory, deleted, usedBy);
  const checkedRemovals = removals.map((removal): Removal => {
    const users = removal.action === "delete" ? dependents.get(targetKey(removal)) : undefined;
    if (users === undefined) return removal;
    const { targetRecord: _there, ...rest } = removal;
    return {
      ...rest,
      action: "blocked",
      code: "in-use",
      message: `removed from the source, but ${usersText(users)} to it`,
    };
  });
  const of = shareOf(inventory, mirror);
  const planned = { removals: checkedRemovals, of, allowed: allowedDeletes(mirror.maxDelete, of) };
  const going = checkedRemovals.filter(({ action }) => action === "delete");
  const updated = [...actionByTarget].flatMap(([key, action]) => (action === "update" ? [key] : []));
  const warnings = [
    ...(isTooMany(planned) ? [tooManyWarning(planned)] : []),
    ...warnOfGoing(
      inventory,
      going.map(({ kind, targetId, name }) => ({ kind, id: targetId, name, again: false })),
      new Set([...going.map(targetKey), ...updated]),
    ),
  ];
  return { mirror: planned, warnings };
}

/**
 * Lists the records that a record needs. A deferrable link of a record that is in the archive may stay dangling, because it is
 * already dangling at the source.
 */
function neededBy({ kind: name, body }: StackRecord, isOurs: boolean): RecordKey[] {
  const kind = findKind(name);
  if (kind === undefined) return [];
  return findReferences(kind, body, new Map()).flatMap(({ record, deferrable }) =>
    record === undefined || (isOurs && deferrable) ? [] : [record],
  );
}

/**
 * Counts the dashboards and alerts of the state that still exist on the target. With the scope `all`, counts all dashboards and
 * alerts of the target.
 */
function shareOf(inventory: Inventory, { scope, stateRecords }: MirrorBasis): number {
  const replayed = kinds.filter(({ importPolicy }) => importPolicy.when === "always");
  const targetRecords = replayed.flatMap(({ name }) => inventory.kinds.get(name)?.records ?? []);
  if (scope === "all") return targetRecords.length;
  const keys = new Set(targetRecords.map(({ kind, id }) => recordKey(kind, id.toLowerCase())));
  return [...stateRecords].filter(([key, { targetId }]) =>
    keys.has(recordKey(key.slice(0, key.indexOf("/")), targetId.toLowerCase())),
  ).length;
}

function tooManyWarning(planned: PlannedMirror): Warning {
  return { code: "max-delete", message: `${tooManyText(planned)}: the import would be refused (--max-delete)` };
}
