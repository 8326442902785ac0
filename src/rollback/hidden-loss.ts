import { targetKey } from "../core/records/record.ts";
import { hiddenLossOf, hiddenRefusal } from "../import/plan/hidden-loss.ts";
import { hiddenText } from "../references/hidden-content.ts";
import { substitutesIn } from "../references/substitutes.ts";
import type { RollbackItem } from "./item.ts";
import type { RollbackInput } from "./written-records.ts";

/**
 * Leaves alone what holds tiles that no answer of the target shows, as a put-back is an update like any other, and says of the
 * other put-backs where they cannot bring back all that was there (docs/api.md#hidden-tiles).
 */
export function guardHidden(
  items: readonly RollbackItem[],
  { inventory, acceptHiddenLoss }: Pick<RollbackInput, "inventory" | "acceptHiddenLoss">,
): RollbackItem[] {
  const loss = hiddenLossOf(inventory, acceptHiddenLoss);
  return items.map((item): RollbackItem => {
    if (item.action !== "update" && item.action !== "delete") return item;
    const refusal = hiddenRefusal(targetKey(item), loss);
    if (refusal !== undefined) return { ...item, action: "skip", ...refusal };
    const { kind, previous = {} } = item;
    const substitutes =
      item.action === "update" ? substitutesIn({ kind, body: previous }, inventory.stack.variant) : [];
    if (substitutes.length === 0) return item;
    const message = `is put back as far as the API showed it; what it held besides is lost: ${hiddenText({ substitutes, watchers: [] })}`;
    return { ...item, code: "hidden-lost", message };
  });
}
