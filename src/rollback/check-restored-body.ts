import { refusedValuesText, limitRefusal } from "../import/limit-refusal.ts";
import type { JsonObject } from "../core/json.ts";
import { withValueAt } from "../core/records/member-path.ts";
import type { RecordKey, Variant } from "../core/records/record.ts";
import type { FindChild, FindRecordName, Refusal, ResourceKind, TargetAnswers } from "../core/resource-kind.ts";
import { MAX_NAMED, joinNames } from "../core/text/format.ts";
import { acceptedBody } from "../import/write-body.ts";
import { fitBody, findRefusedValues } from "../kinds/limits.ts";
import { recordFinder, targetAnswersOf, type Inventory } from "../matching/inventory.ts";
import { childIdOf, childrenOf } from "../references/children.ts";
import { hiddenContentText, substitutesIn } from "../references/hidden-content.ts";
import type { RollbackNote } from "./item.ts";
import type { RollbackInput } from "./undo-record.ts";
import { foldIds } from "../references/known-ids.ts";
import { findReferences } from "../references/references.ts";

/** A body that a write accepts, with notes on its differences from the former content; or the reason why there is no such body. */
export type CheckedBody =
  | { readonly body: JsonObject; readonly notes: readonly RollbackNote[] }
  | { readonly refusal: Refusal };

/**
 * Checks the content to restore against the same API rules as the bodies of an import: answers contain forms that a write refuses,
 * and a record may be older than a rule (docs/api.md#limits).
 * @param targetBody the present body of the record on the target; undefined if the record is to be created again
 */
export function checkRestoredBody(
  kind: ResourceKind,
  previous: JsonObject,
  targetBody: JsonObject | undefined,
  { inventory, fitLimits = false, now = Number.NaN }: RollbackInput,
): CheckedBody {
  const { variant } = inventory.stack;
  const refusal =
    kind.rejectReason?.(previous, ownAnswers(kind, previous, inventory), namedIn(inventory)) ??
    kind.refusedForReferences?.[variant]?.(previous, recordFinder(inventory), childBefore(kind, targetBody));
  if (refusal !== undefined) return { refusal };
  const refused = findRefusedValues(kind, previous, now);
  const overLimit = limitRefusal(refused, fitLimits, {
    fixed: (members) =>
      `the API no longer accepts its former content, and no accepted form means the same: ${members}; create it by hand`,
    fitting: (members) => `the API no longer accepts its former content; --fit-limits would write ${members}`,
  });
  if (overLimit !== undefined) return { refusal: overLimit };
  const notes = [
    ...lossOfHidden(kind, previous, variant),
    ...(refused.length === 0 ? [] : [{ code: "fitted", message: `is written with ${refusedValuesText(refused)}` }]),
    ...(kind.assumed?.(previous) ?? []).map(({ pointer, value }) => ({
      code: "language-assumed",
      message: `had no language at ${pointer}, which a write requires; it is written as ${value}`,
    })),
  ];
  const body = refused.length === 0 ? previous : fitBody(kind, acceptedBody(kind, previous), now);
  return { body, notes };
}

/** Returns a note if the record had hidden content: the journal does not have it (docs/api.md#hidden-tiles). */
function lossOfHidden({ name: kind }: ResourceKind, body: JsonObject, variant: Variant): RollbackNote[] {
  const substitutes = substitutesIn({ kind, body }, variant);
  if (substitutes.length === 0) return [];
  const message = `is restored as far as the API showed it; create its hidden content again by hand: ${hiddenContentText({ substitutes, watchers: [] })}`;
  return [{ code: "hidden-lost", message }];
}

/** Removes links to records that are not on the target and are not restored: a write with such a link would be refused. */
export function withoutDeadLinks(
  kind: ResourceKind,
  body: JsonObject,
  isThere: (key: RecordKey) => boolean,
): { readonly body: JsonObject; readonly notes: readonly RollbackNote[] } {
  const dead = findReferences(kind, body, new Map()).filter(
    ({ deferPath, record }) => deferPath !== undefined && record !== undefined && !isThere(record),
  );
  if (dead.length === 0) return { body, notes: [] };
  const pointersText = joinNames(dead, MAX_NAMED, ({ pointer }) => pointer);
  const message = `is restored without its links to records that are no longer on the target: ${pointersText}`;
  const reduced = dead.reduce((copy, { deferPath = [] }) => withValueAt(copy, deferPath, undefined), body);
  return { body: reduced, notes: [{ code: "left-out", message }] };
}

/**
 * Describes the target by its answers and by the body to restore. The body came from this stack, so the stack knows its members.
 */
function ownAnswers({ name }: ResourceKind, body: JsonObject, inventory: Inventory): TargetAnswers {
  const others = targetAnswersOf(inventory, name);
  return { ...others, shows: (member) => body[member] !== undefined || others.shows(member) };
}

function namedIn(inventory: Inventory): FindRecordName {
  const find = recordFinder(inventory);
  return (space, id) => find(space, id)?.name ?? id;
}

function childBefore({ children }: ResourceKind, targetBody: JsonObject = {}): FindChild {
  const before = new Map(
    children.flatMap((childKind) =>
      childrenOf(targetBody, childKind).map((child) => [foldIds(childIdOf(child)), child] as const),
    ),
  );
  return (child) => before.get(foldIds(childIdOf(child)));
}
