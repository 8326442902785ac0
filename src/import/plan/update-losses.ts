import type { IdMap } from "../../core/plan/id-map.ts";
import { childId } from "../../core/plan/id-map.ts";
import type { RecordKey, StackRecord } from "../../core/records/record.ts";
import { keyOfRecord, recordKey, targetKey } from "../../core/records/record.ts";
import type { TargetIndex } from "../../matching/target-index.ts";
import { childIdOf, childrenOf } from "../../references/children.ts";
import type { Decision } from "./decide/decision.ts";
import type { Removal } from "../../core/plan/plan.ts";
import type { Warning } from "../../core/outcome.ts";
import { pluralize } from "../../core/text/format.ts";
import { findKind } from "../../kinds/registry.ts";
import { nameOfRecord } from "../../kinds/nouns.ts";
import type { Inventory } from "../../matching/inventory.ts";
import type { HiddenContent } from "../../references/hidden-content.ts";
import { findHiddenContent, hiddenText } from "../../references/hidden-content.ts";

/**
 * Blocks updates that would delete alerts of the target. A `PUT` deletes the alerts on every tile that it leaves out
 * (docs/api.md#dashboards), and on every tile of a type that cannot have alerts (docs/api.md#tile-alerts). An alert that a mirror
 * deletes anyway does not block the update; the update then waits until this alert is deleted.
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
        const afterRemovals = [...new Set(deletedAlerts.map(keyOfRecord))];
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

/** Finds the alerts on tiles that the update removes, and on tiles that lose their alerts in every update. */
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

/** Content of the target that the API never shows, and whether the user accepts its loss. */
export interface HiddenLoss {
  readonly hidden: ReadonlyMap<RecordKey, HiddenContent>;
  readonly accepted: boolean;
}

/** Finds the hidden content of the target. @param accepted whether `--accept-hidden-loss` was given */
export function hiddenLossOf({ kinds, stack }: Inventory, accepted = false): HiddenLoss {
  const records = [...kinds.values()].flatMap((ofKind) => ofKind.records);
  return { hidden: findHiddenContent(records, stack.variant), accepted };
}

/** Tells why a record must not be written or deleted; undefined if no loss is known or the loss is accepted. */
export function hiddenRefusal(key: RecordKey, { hidden, accepted }: HiddenLoss) {
  const content = hidden.get(key);
  if (content === undefined || accepted) return undefined;
  const message = `on the target it has content that the API does not show, and the update would delete that content for good: ${hiddenText(content)}; --accept-hidden-loss allows it`;
  return { code: "would-lose-hidden", message } as const;
}

/** Blocks updates that would destroy content which no answer of the target contains. */
export function blockHiddenLoss(
  decisions: ReadonlyMap<RecordKey, Decision>,
  loss: HiddenLoss,
): ReadonlyMap<RecordKey, Decision> {
  return new Map(
    [...decisions].map(([key, decision]): [RecordKey, Decision] => {
      const { action, kind, targetId } = decision;
      if (action !== "update" || targetId === undefined) return [key, decision];
      const refusal = hiddenRefusal(recordKey(kind.name, targetId), loss);
      return [key, refusal === undefined ? decision : { ...decision, action: "blocked", ...refusal }];
    }),
  );
}

/** Blocks removals of records with hidden content: this content would be lost with the record, and no rollback could restore it. */
export function blockHiddenRemovals(removals: readonly Removal[], loss: HiddenLoss): readonly Removal[] {
  return removals.map((removal): Removal => {
    const refusal = removal.action === "delete" ? hiddenRefusal(targetKey(removal), loss) : undefined;
    if (refusal === undefined) return removal;
    const { targetRecord: _there, ...rest } = removal;
    return { ...rest, action: "blocked", ...refusal };
  });
}

/**
 * Makes a warning for each update that destroys known hidden content (the user accepted the loss), and one warning that updates may
 * destroy unknown hidden content: not every hidden tile can be detected.
 */
export function warnOfHiddenLoss(
  decisions: readonly Decision[],
  { kinds }: Inventory,
  { hidden }: HiddenLoss,
): Warning[] {
  const updated = decisions.filter(
    ({ action, kind }) => action === "update" && kind.children.some(({ isSubstitute }) => isSubstitute !== undefined),
  );
  const lost = updated.flatMap(({ kind, record, targetId = "" }): Warning[] => {
    const content = hidden.get(recordKey(kind.name, targetId));
    if (content === undefined) return [];
    const message = `the update of ${nameOfRecord(record)} deletes content that the API does not show, and no rollback can restore it: ${hiddenText(content)}`;
    return [{ code: "loses-hidden", message }];
  });
  const hints = [...kinds].flatMap(([name, { records }]) =>
    records.filter(({ body }) => findKind(name)?.hintsAtHidden?.(body) === true),
  );
  const [hint] = hints;
  if (hint === undefined || updated.length === 0) return lost;
  const message = `${pluralize(updated.length, "update")} may delete tiles that the API does not show, with their alerts: the target has ${nameOfRecord(hint)}, and the API never returns tiles in its query language`;
  return [...lost, { code: "may-lose-hidden", message }];
}
