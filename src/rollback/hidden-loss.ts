import { targetKey } from "../core/records/record.ts";
import { hiddenLossOf, hiddenRefusal } from "../import/plan/hidden-loss.ts";
import type { RollbackItem } from "./item.ts";
import { leftAlone } from "./item.ts";
import type { RollbackInput } from "./written-records.ts";

/**
 * Leaves alone what holds tiles that no answer of the target shows, as a put-back is an update like any other
 * (docs/api.md#hidden-tiles).
 */
export function guardHidden(
  items: readonly RollbackItem[],
  { inventory, acceptHiddenLoss }: Pick<RollbackInput, "inventory" | "acceptHiddenLoss">,
): RollbackItem[] {
  const loss = hiddenLossOf(inventory, acceptHiddenLoss);
  return items.map((item): RollbackItem => {
    if (item.action !== "update" && item.action !== "delete") return item;
    const refusal = hiddenRefusal(targetKey(item), loss);
    return refusal === undefined ? item : leftAlone(item, refusal);
  });
}
