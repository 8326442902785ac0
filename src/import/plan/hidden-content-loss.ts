import type { Removal } from "../../core/plan/plan.ts";
import type { Warning } from "../../core/outcome.ts";
import type { RecordKey } from "../../core/records/record.ts";
import { recordKey, targetKey } from "../../core/records/record.ts";
import { pluralize } from "../../core/text/format.ts";
import { nameOfRecord } from "../../kinds/names.ts";
import { findKind } from "../../kinds/registry.ts";
import type { Inventory } from "../../matching/inventory.ts";
import type { HiddenContent } from "../../references/hidden-content.ts";
import { findHiddenContent, hiddenText } from "../../references/hidden-content.ts";
import type { Decision } from "./decide/decision.ts";

/** Content of the target that the API never shows, and whether the user accepts its loss. */
export interface HiddenLoss {
  readonly hidden: ReadonlyMap<RecordKey, HiddenContent>;
  readonly accepted: boolean;
}

/** @param accepted `--accept-hidden-loss` */
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

/** Blocks removals of records with hidden content: it would be lost with the record, and no rollback restores it. */
export function blockHiddenRemovals(removals: readonly Removal[], loss: HiddenLoss): readonly Removal[] {
  return removals.map((removal): Removal => {
    const refusal = removal.action === "delete" ? hiddenRefusal(targetKey(removal), loss) : undefined;
    if (refusal === undefined) return removal;
    const { targetRecord: _there, ...rest } = removal;
    return { ...rest, action: "blocked", ...refusal };
  });
}

/**
 * Makes warnings for hidden content that updates destroy (the loss was accepted), and for content that they may destroy: not every
 * hidden tile can be detected.
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
    const message = `the update of the ${kind.singular} "${record.name}" deletes content that the API does not show, and no rollback can restore it: ${hiddenText(content)}`;
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
