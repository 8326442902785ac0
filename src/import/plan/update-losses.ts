import { qualifiedChildId } from "../../core/plan/id-map.ts";
import {
  keyOfRecord,
  recordKey,
  targetKey,
  type KindName,
  type RecordKey,
  type StackRecord,
} from "../../core/records/record.ts";
import { childIdOf, childrenOf } from "../../references/children.ts";
import type { Decision, DecisionBasis } from "./decide/decision.ts";
import type { Removal } from "../../core/plan/plan.ts";
import type { Warning } from "../../core/outcome.ts";
import { findKind } from "../../kinds/registry.ts";
import { nameOfRecord } from "../../kinds/nouns.ts";
import { blockRemoval } from "../remove/mirror.ts";
import {
  findHiddenContent,
  hiddenContentText,
  isAsLastWritten,
  type HiddenContent,
} from "../../references/hidden-content.ts";
import { foldedKey } from "../../references/known-ids.ts";
import { recordFinder, recordsOf, type Inventory } from "../../matching/inventory.ts";

/**
 * Blocks an update that would delete alerts of the target. A `PUT` deletes the alerts on every tile that it leaves out
 * (docs/api.md#dashboards), and on every tile of a type that cannot have alerts (docs/api.md#tile-alerts). If a mirror deletes the
 * alert anyway, the update is not blocked, but waits until the alert is deleted.
 */
export function blockCascadeDeletes(
  decision: Decision,
  basis: Pick<DecisionBasis, "ids" | "target" | "removedFirst">,
): Decision {
  const { removed, lost } = cascadeDeletedAlerts(decision, basis);
  const deletedAlerts = [...removed, ...lost];
  if (deletedAlerts.length === 0) return decision;
  const isRemovedFirst = (alert: StackRecord): boolean => basis.removedFirst.has(keyOfRecord(alert));
  if (deletedAlerts.every(isRemovedFirst)) {
    return { ...decision, afterRemovals: [...new Set(deletedAlerts.map(keyOfRecord))] };
  }
  const texts = [textOf(REMOVED, removed, isRemovedFirst), textOf(LOST, lost, isRemovedFirst)];
  const message = texts.filter((text) => text !== "").join("; ");
  return { ...decision, action: "blocked", code: "would-delete-alerts", message };
}

function textOf(why: string, alerts: readonly StackRecord[], isRemovedFirst: (record: StackRecord) => boolean): string {
  const names = alerts.filter((record) => !isRemovedFirst(record)).map(({ name, id }) => name || id);
  return names.length === 0 ? "" : `${why}: ${names.join(", ")}`;
}

const REMOVED = "the update would remove a tile that these alerts of the target watch; move or delete them first";
const LOST =
  "these alerts of the target watch a tile of a type that cannot have alerts (only line, stacked-bar and number tiles can), so the update would delete them; move or delete them first";

/** Finds the alerts on tiles that the update removes, and on tiles that lose their alerts in every update. */
function cascadeDeletedAlerts(
  { action, kind, record, targetId, replaces, parts }: Decision,
  { ids, target }: Pick<DecisionBasis, "ids" | "target">,
): { readonly removed: readonly StackRecord[]; readonly lost: readonly StackRecord[] } {
  if (action !== "update" || targetId === undefined || replaces === undefined) return { removed: [], lost: [] };
  const removed: StackRecord[] = [];
  const lost: StackRecord[] = [];
  for (const children of kind.children) {
    const sent = new Map(
      childrenOf(record.body, children).map((child) => [
        ids.get(children.space, qualifiedChildId(record.id, childIdOf(child))),
        child,
      ]),
    );
    const isKept = (position: number): boolean =>
      parts !== undefined && parts.removed?.[children.member]?.includes(position) !== true;
    for (const [position, child] of childrenOf(replaces.body, children).entries()) {
      const dependents = target.dependentsOf(children.space, qualifiedChildId(targetId, childIdOf(child)));
      const becomes = sent.get(childIdOf(child)) ?? (isKept(position) ? child : undefined);
      if (becomes === undefined) removed.push(...dependents);
      else if (children.losesDependents?.(becomes) === true) lost.push(...dependents);
    }
  }
  return { removed, lost };
}

/** Content of the target that the API never shows, and whether the user accepts its loss. */
export interface HiddenContentLoss {
  readonly hidden: ReadonlyMap<RecordKey, HiddenContent>;
  readonly accepted: boolean;
  /**
   * Returns a record of the target if it may have content that nothing proves. A record that is as an import has stored it has none.
   */
  readonly doubtful: (kind: KindName, targetId: string) => StackRecord | undefined;
  /** The record of the target that is a sign of hidden children, as it is named in a sentence; undefined if there is none. */
  readonly hint: string | undefined;
}

/**
 * Finds the hidden content of the target.
 * @param accepted whether `--accept-hidden-loss` was given
 * @param lastWrites by record (`foldedKey`): digest of what the target stored at the last write of an import
 */
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

/** Tells why a record must not be written or deleted; undefined if no loss is known or the loss is accepted. */
export function hiddenRefusal(key: RecordKey, { hidden, accepted }: HiddenContentLoss) {
  const content = hidden.get(key);
  if (content === undefined || accepted) return undefined;
  const message = `has content on the target that the API does not show, and that the write would delete for good: ${hiddenContentText(content)}; --accept-hidden-loss allows it`;
  return { code: "would-lose-hidden", message } as const;
}

/** Blocks an update that would destroy content that the target's API does not return. */
export function blockHiddenLoss(decision: Decision, loss: HiddenContentLoss): Decision {
  const { action, kind, targetId } = decision;
  const refusal =
    action === "update" && targetId !== undefined ? hiddenRefusal(recordKey(kind.name, targetId), loss) : undefined;
  return refusal === undefined ? decision : { ...decision, action: "blocked", ...refusal };
}

/** Blocks removals of records with hidden content: this content would be lost with the record, and no rollback could restore it. */
export function blockHiddenRemovals(removals: readonly Removal[], loss: HiddenContentLoss): readonly Removal[] {
  return removals.map((removal): Removal => {
    const refusal = removal.action === "delete" ? hiddenRefusal(targetKey(removal), loss) : undefined;
    return refusal === undefined ? removal : blockRemoval(removal, refusal);
  });
}

/** Makes a warning for each update that destroys known hidden content, with the user's consent. */
export function warnOfHiddenLoss(decisions: readonly Decision[], { hidden }: HiddenContentLoss): Warning[] {
  return decisions.flatMap(({ action, kind, record, targetId = "" }): Warning[] => {
    const content = action === "update" ? hidden.get(recordKey(kind.name, targetId)) : undefined;
    if (content === undefined) return [];
    const message = `the update of ${nameOfRecord(record)} deletes content that the API does not show, and no rollback can restore it: ${hiddenContentText(content)}`;
    return [{ code: "loses-hidden", message }];
  });
}
