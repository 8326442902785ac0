import type { Removal } from "../../core/plan/plan.ts";
import { keyOfRecord, recordKey, targetKey, type RecordKey, type StackRecord } from "../../core/records/record.ts";
import { displayNameMember } from "../../kinds/display-names.ts";
import { nameOfRecord } from "../../kinds/nouns.ts";
import { knownKind } from "../../kinds/registry.ts";
import { recordFinder, recordsOf } from "../../matching/inventory.ts";
import { hostKeysOf } from "../../references/references.ts";
import type { Decision, DecisionBasis } from "./decide/decision.ts";
import { alertsAtRisk } from "./update-losses.ts";

/**
 * Lists the records that the server would delete together with what a forced run deletes or updates: alerts on a deleted dashboard,
 * and alerts on a tile that an update removes. The run deletes them itself, so that the plan names them. Leaves out records that
 * are deleted anyway, and records that the run updates, because these get another host.
 */
export function forcedRemovals(
  decisions: Iterable<Decision>,
  removals: readonly Removal[],
  basis: Pick<DecisionBasis, "inventory" | "ids" | "target">,
): Removal[] {
  const { inventory } = basis;
  const settled = new Set(removals.filter(({ action }) => action === "delete").map(targetKey));
  const hosts = new Map<RecordKey, string>(
    removals.flatMap((removal) =>
      removal.action === "delete" ? [[targetKey(removal), nameOfRecord({ ...removal, id: removal.targetId })]] : [],
    ),
  );
  const lost = new Map<RecordKey, { readonly record: StackRecord; readonly why: string }>();
  for (const decision of decisions) {
    const { action, kind, targetId = "", replaces } = decision;
    if (action !== "update") continue;
    settled.add(recordKey(kind.name, targetId));
    const { removed, lost: losing } = alertsAtRisk(decision, basis);
    const why = `its tile of ${nameOfRecord(replaces ?? decision.record)} is removed, or can have no alerts then`;
    for (const record of [...removed, ...losing]) lost.set(keyOfRecord(record), { record, why });
  }
  for (const record of recordsOf(inventory)) {
    const host = hostKeysOf(knownKind(record.kind), record.body).find((key) => hosts.has(key));
    if (host !== undefined) lost.set(keyOfRecord(record), { record, why: `${hosts.get(host)} is deleted` });
  }
  return [...lost].flatMap(([key, { record, why }]): Removal[] => {
    if (settled.has(key)) return [];
    const { kind, id, name } = record;
    const displayName = displayNameMember(record, recordFinder(inventory));
    const removal = { kind, sourceId: id, name, ...displayName, targetId: id, isKnown: false, targetRecord: record };
    return [{ ...removal, action: "delete", code: "cascade-loss", message: `is deleted, because ${why}` }];
  });
}
