import type { PlanItem } from "../../core/plan/plan.ts";
import { itemKey } from "../../core/plan/plan.ts";
import { knownKind } from "../../kinds/registry.ts";
import { foldIds } from "../../references/known-ids.ts";
import { recordFingerprint } from "../../references/record-content.ts";
import type { RecordKey } from "../../core/records/record.ts";
import type { JournaledRecord } from "../../journal/replay.ts";
import type { Inventory } from "../../matching/inventory.ts";

interface EarlierCreates {
  /** Records whose create earlier runs may have carried out twice. */
  readonly sentTwice?: ReadonlySet<RecordKey>;
  readonly journaled?: ReadonlyMap<RecordKey, JournaledRecord>;
  readonly inventory: Inventory;
}

/**
 * Marks the items of records that an earlier run has created twice (`doubled`): the answer to the create was lost, and the target's
 * list did not show the record in time. The second record has the content that the run wrote, and is matched with no record of the
 * archive.
 */
export function withDoubled(
  items: readonly PlanItem[],
  { sentTwice = new Set(), journaled = new Map(), inventory }: EarlierCreates,
): readonly PlanItem[] {
  if (sentTwice.size === 0) return items;
  const taken = new Set(items.map(({ kind, targetId = "" }) => `${kind} ${foldIds(targetId)}`));
  return items.map((item): PlanItem => {
    const made = journaled.get(itemKey(item));
    const isThere = item.action === "unchanged" || item.action === "update" || item.action === "skip";
    if (!isThere || made?.created !== true || !sentTwice.has(itemKey(item))) return item;
    const kind = knownKind(item.kind);
    const [double] = (inventory.kinds.get(item.kind)?.records ?? []).filter(
      ({ id, body }) => !taken.has(`${item.kind} ${foldIds(id)}`) && recordFingerprint(kind, body) === made.content,
    );
    if (double === undefined) return item;
    const message = `an earlier run created it twice, because the target's list was behind: ${made.targetId} and ${double.id}; delete one of them`;
    return { ...item, code: "doubled", message };
  });
}
