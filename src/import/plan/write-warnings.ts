import { groupBy } from "../../core/collections.ts";
import type { Warning } from "../../core/outcome.ts";
import { memberPathOf, parsePointer, formatPointer } from "../../core/records/member-path.ts";
import { joinNames } from "../../core/text/plural.ts";
import type { Inventory } from "../../matching/inventory.ts";
import type { Decision } from "./decide/decision.ts";
import { unseenMembers } from "./decide/compare.ts";
import type { ChildBasis } from "./pointed-to-children.ts";
import { warnOfShortLived } from "./pointed-to-children.ts";
import type { IdMap } from "../../core/plan/id-map.ts";
import { findReferences, rewriteReferences } from "../../references/references.ts";
import { withDistinctItems } from "../write-body.ts";
import { willWrite } from "./resolve.ts";

/** Pointers named per kind and member. */
const MAX_NAMED = 5;

/**
 * Makes a warning for each member that updates would set and that no record of the target has: a target of an older release may
 * drop it. Kinds that the target can validate need no guess.
 */
export function warnOfUnseen(decisions: readonly Decision[], inventory: Inventory): Warning[] {
  const unseen = decisions.flatMap(({ action, kind, record, replaces }) => {
    if (action !== "update" || replaces === undefined) return [];
    if (kind.routes[inventory.stack.variant].validate !== undefined) return [];
    return unseenMembers(kind, record.body, replaces.body, inventory).map((pointer) => ({ kind, record, pointer }));
  });
  return [
    ...groupBy(unseen, ({ kind, pointer }) => `${kind.name} ${memberPathOf(parsePointer(pointer))}`).values(),
  ].map((of) => {
    const [{ kind, pointer } = { kind: undefined, pointer: "" }] = of;
    const named = joinNames(of, MAX_NAMED, ({ record }) => `"${record.name || record.id}"`);
    const message = `no ${kind?.singular} of the target shows this member, so the target may not keep it of ${named}`;
    return { code: "may-not-keep", message, pointer };
  });
}

/** Makes the warnings about how the target will store a record, as far as this is known before the write. */
export function warnOfWrite(decision: Decision, basis: ChildBasis): Warning[] {
  return [...warnOfKept(decision), ...warnOfMerged(decision, basis.ids), ...warnOfShortLived(decision, basis)];
}

/** Makes a warning for each member that only the target's record has and that the update does not remove. */
function warnOfKept({ action, kind, record, replaces }: Decision): Warning[] {
  if (action !== "update" || replaces === undefined) return [];
  const keptMembers = (kind.keptOnUpdate ?? []).filter(
    (member) => (replaces.body[member] ?? null) !== null && (record.body[member] ?? null) === null,
  );
  const message = `no update removes this member of the ${kind.singular} "${record.name}", so the target keeps it`;
  return keptMembers.map((member) => ({ code: "cannot-remove", message, pointer: formatPointer([member]) }));
}

/** Makes a warning for each list that becomes shorter, because several of its items point to the same record on the target. */
function warnOfMerged(decision: Decision, ids: IdMap): Warning[] {
  const { kind, record } = decision;
  if (!willWrite(decision) || kind.distinctItems === undefined) return [];
  const references = findReferences(kind, record.body, new Map());
  const mapped = rewriteReferences(record.body, references, ids, new Map());
  const distinct = withDistinctItems(kind, mapped);
  const message = `several of these are one on the target, and the ${kind.singular} "${record.name}" is written with it once`;
  return Object.keys(kind.distinctItems)
    .filter((member) => distinct[member] !== mapped[member])
    .map((member) => ({ code: "merged", message, pointer: formatPointer([member]) }));
}
