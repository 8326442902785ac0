import type { Warning } from "../../core/outcome.ts";
import type { PlanItem } from "../../core/plan/plan.ts";
import { hiddenContentNotes } from "../../kinds/hidden-settings.ts";
import { childrenHidingSettings } from "../../references/hidden-content.ts";
import { willWrite, type Decision, type DecisionBasis } from "./decide/decision.ts";
import type { HiddenContentLoss } from "./update-losses.ts";

/**
 * Adds to a write what the API may hide, and nothing proves: settings and tiles of the target that an update deletes, and settings
 * that the archive lacks. A record that is as an import has stored it hides nothing, because no write can send such content.
 */
export function nameHiddenContent(
  decision: Decision,
  { inventory, from }: Pick<DecisionBasis, "inventory" | "from">,
  { doubtful, hint }: Pick<HiddenContentLoss, "doubtful" | "hint">,
): Decision {
  if (!willWrite(decision)) return decision;
  const { action, kind, record, targetId = "" } = decision;
  const overwritten = action === "update" ? doubtful(kind.name, targetId) : undefined;
  const settings = overwritten === undefined ? [] : childrenHidingSettings(overwritten, inventory.stack.variant);
  const notHeld = from === undefined ? [] : childrenHidingSettings(record, from);
  const mayHideTiles =
    overwritten !== undefined && kind.children.some(({ isSubstitute }) => isSubstitute !== undefined);
  const mayHide = { settings, notHeld, ...(mayHideTiles && hint !== undefined && { hint }) };
  const isEmpty = settings.length + notHeld.length === 0 && mayHide.hint === undefined;
  return isEmpty ? decision : { ...decision, mayHide };
}

export function warnOfMayHide(items: readonly PlanItem[]): Warning[] {
  return hiddenContentNotes(items.filter(willWrite), false).map(({ code, message }) => ({ code, message }));
}
