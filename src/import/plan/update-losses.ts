import { willWrite, type PlanItem } from "../../core/plan/plan.ts";
import { partition } from "../../core/collections.ts";
import { qualifiedChildId } from "../../core/plan/id-map.ts";
import { keyOfRecord, recordKey, type RecordKey, type StackRecord, labelOf } from "../../core/records/record.ts";
import { childIdOf, childrenOf } from "../../references/children.ts";
import type { Decision, DecisionBasis, HiddenContentLoss } from "./decide/decision.ts";
import type { Warning } from "../../core/outcome.ts";
import { findKind } from "../../kinds/registry.ts";
import { nameOfRecord } from "../../kinds/nouns.ts";
import {
  findHiddenContent,
  hiddenContentText,
  isAsLastWritten,
  childrenHidingSettings,
} from "../../references/hidden-content.ts";
import { hiddenContentNotes } from "../../kinds/hidden-settings.ts";
import { foldedKey } from "../../references/known-ids.ts";
import { recordFinder, recordsOf, type Inventory } from "../../matching/inventory.ts";

/** If the run itself deletes all lost alerts, the update only waits for their deletes. */
export function blockCascadeDeletes(decision: Decision, basis: DecisionBasis): Decision {
  const lost = alertsLostWith(decision, basis);
  if (lost.length === 0) return decision;
  const [removed, staying] = partition(lost, (alert) => basis.removedFirst.has(keyOfRecord(alert)));
  if (staying.length === 0) return { ...decision, afterRemovals: [...new Set(removed.map(keyOfRecord))] };
  const message = `${WOULD_DELETE}: ${staying.map(labelOf).join(", ")}`;
  return { ...decision, action: "blocked", code: "would-delete-alerts", message };
}

const WOULD_DELETE =
  "the update would delete these alerts of the target, because their tile is removed or can have no alerts (only line, stacked-bar and number tiles can); move or delete them first";

/**
 * The server deletes alerts on tiles that an update leaves out (docs/api.md#dashboards), or whose type allows none
 * (docs/api.md#tile-alerts).
 */
function alertsLostWith(
  { action, kind, record, targetId, replaces, parts }: Decision,
  { ids, target }: DecisionBasis,
): StackRecord[] {
  if (action !== "update" || targetId === undefined || replaces === undefined) return [];
  return kind.children.flatMap((children) => {
    const sent = new Map(
      childrenOf(record.body, children).map((child) => [
        ids.get(children.space, qualifiedChildId(record.id, childIdOf(child))),
        child,
      ]),
    );
    const isKept = (position: number): boolean =>
      parts !== undefined && parts.removed?.[children.member]?.includes(position) !== true;
    return childrenOf(replaces.body, children).flatMap((child, position) => {
      const becomes = sent.get(childIdOf(child)) ?? (isKept(position) ? child : undefined);
      const keepsAlerts = becomes !== undefined && children.losesDependents?.(becomes) !== true;
      return keepsAlerts ? [] : target.dependentsOf(children.space, qualifiedChildId(targetId, childIdOf(child)));
    });
  });
}

/** @param lastWrites by `foldedKey`: the digest of what the target stored at the last write of any run */
export function findHiddenContentLoss(
  inventory: Inventory,
  accepted = false,
  lastWrites: ReadonlyMap<string, string> = new Map(),
): HiddenContentLoss {
  const records = recordsOf(inventory);
  const hint = records.find(({ kind, body }) => findKind(kind)?.hintsAtHidden?.(body) === true);
  return {
    hidden: findHiddenContent(records, inventory.stack.variant),
    accepted,
    hint: hint && nameOfRecord(hint),
    doubtful: (kind, targetId) => {
      const record = recordFinder(inventory)(kind, targetId);
      return record && isAsLastWritten(record, lastWrites.get(foldedKey(kind, targetId))) ? undefined : record;
    },
  };
}

/** An update or a delete would lose the hidden content, and no rollback could restore the content. */
export function hiddenRefusal(key: RecordKey, { hidden, accepted }: HiddenContentLoss) {
  const content = hidden.get(key);
  if (content === undefined || accepted) return undefined;
  const message = `has content on the target that the API does not show, and that the write would delete for good: ${hiddenContentText(content)}; --accept-hidden-loss allows it`;
  return { code: "would-lose-hidden", message } as const;
}

export function blockHiddenLoss(decision: Decision, { loss }: DecisionBasis): Decision {
  const { action, kind, targetId } = decision;
  const refusal =
    action === "update" && targetId !== undefined ? hiddenRefusal(recordKey(kind.name, targetId), loss) : undefined;
  return refusal === undefined ? decision : { ...decision, action: "blocked", ...refusal };
}

export function warnOfHiddenLoss(decisions: readonly Decision[], { hidden }: HiddenContentLoss): Warning[] {
  return decisions.flatMap(({ action, kind, record, targetId = "" }): Warning[] => {
    const content = action === "update" ? hidden.get(recordKey(kind.name, targetId)) : undefined;
    if (content === undefined) return [];
    const message = `the update of ${nameOfRecord(record)} deletes content that the API does not show, and no rollback can restore it: ${hiddenContentText(content)}`;
    return [{ code: "would-lose-hidden", message }];
  });
}

export function nameHiddenContent(
  decision: Decision,
  { inventory, from, loss: { doubtful, hint } }: DecisionBasis,
): Decision {
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
  return hiddenContentNotes(items.filter(willWrite)).map(({ code, message }) => ({ code, message }));
}
