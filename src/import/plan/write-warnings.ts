import { groupBy } from "../../core/collections.ts";
import type { Warning } from "../../core/outcome.ts";
import { memberPathOf, parsePointer } from "../../core/records/member-path.ts";
import { listed } from "../../core/text/plural.ts";
import type { Inventory } from "../../matching/inventory.ts";
import type { Decision } from "./decide/decision.ts";
import { unseenMembers } from "./decide/lacked-members.ts";
import { warnOfKept } from "./kept-members.ts";
import { warnOfMerged } from "./merged-items.ts";
import type { ChildBasis } from "./pointed-to-children.ts";
import { warnOfShortLived } from "./pointed-to-children.ts";

/** So many pointers are named of one kind and member. */
const MAX_NAMED = 5;

/**
 * A warning for each member that updates would set and that no record of the target has: it may be of an older release and drop it.
 * Of a kind that the target can be asked about, it says so itself.
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
    const named = listed(of, MAX_NAMED, ({ record }) => `"${record.name || record.id}"`);
    const message = `no ${kind?.singular} of the target shows this member, so the target may not keep it of ${named}`;
    return { code: "may-not-keep", message, pointer };
  });
}

/** What is known before a record is written of how the target will hold it. */
export function warnOfWrite(decision: Decision, basis: ChildBasis): Warning[] {
  return [...warnOfKept(decision), ...warnOfMerged(decision, basis.ids), ...warnOfShortLived(decision, basis)];
}
