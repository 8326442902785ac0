import type { IdMap } from "../../../core/importing/id-map.ts";
import type { StackRecord } from "../../../core/records/record.ts";
import { nounOf } from "../../../kinds/id-spaces.ts";
import { answersOf } from "../../../matching/inventory.ts";
import { translatedBody } from "../../../matching/pair-kind.ts";
import { borrowSecrets } from "../../../redaction/placeholders.ts";
import { haveSameContent, recordFingerprint } from "../../../references/record-content.ts";
import { nameOf } from "../resolve.ts";
import { isUnadapted } from "./adapted.ts";
import { isCreateOffered } from "./decide-creation.ts";
import { neededReason } from "./decide-fill.ts";
import { decideUnpaired } from "./decide-unpaired.ts";
import type { DecisionBasis } from "./decision-basis.ts";
import type { Decision, Undecided } from "./decision.ts";
import { decisionKey } from "./decision.ts";
import { lackedMembers } from "./lacked-members.ts";
import { FINISH_LINKS, lacksOnlyLinks, linksLacking } from "./half-linked.ts";

/** Records of these kinds are created where the target has none like them, and otherwise left as the target has them. */
export function decideOnRequest({ kind, record }: Undecided, ids: IdMap, basis: DecisionBasis): Decision {
  const { archive, inventory, matching, options, fills } = basis;
  const targetId = ids.get(kind.name, record.id);
  if (targetId !== undefined) {
    const target = inventory.kinds.get(kind.name)?.records.find(({ id }) => id === targetId);
    if (target !== undefined) return decideMatched({ kind, record }, target, ids, basis);
    return { kind, record, targetId, action: "skip", code: "matched" };
  }
  const ambiguous = matching.ambiguous.get(kind.name)?.get(record.id);
  if (ambiguous) return decideUnpaired(kind, record, ambiguous, { ...options, onConflict: "skip" });
  if (!isCreateOffered(kind, inventory)) {
    const message = `the target does not offer to create a ${nounOf(kind.name)}; make it by hand, or name one of the target's in a map file`;
    return { kind, record, action: "blocked", code: "create-not-offered", message };
  }
  // Before its secrets are asked for, which would be for nothing.
  const named = (space: string, id: string): string => nameOf({ space, id }, archive);
  const refusal = kind.refusedOn?.(record.body, answersOf(inventory, kind.name), named);
  if (refusal !== undefined) return { kind, record, action: "blocked", ...refusal };
  const needed = neededReason(kind, record, fills);
  return needed === undefined ? { kind, record, action: "create" } : { kind, record, action: "blocked", ...needed };
}

/** What an earlier run of this import left without its second write is finished; nothing else is touched. */
function decideMatched({ kind, record }: Undecided, target: StackRecord, ids: IdMap, basis: DecisionBasis): Decision {
  const { archive, journaled, options } = basis;
  const there = { kind, record, targetId: target.id, action: "skip", code: "matched" } as const;
  const body = borrowSecrets(translatedBody(kind, record, archive, options, ids), target.body);
  if (haveSameContent(kind, body, target.body)) return there;
  const written = journaled.get(decisionKey(there));
  const asWritten = written?.content === recordFingerprint(kind, target.body);
  const isUnlinked = asWritten && !written.linked;
  if (isUnlinked && lacksOnlyLinks(kind, record, body, target.body, archive, isUnlinked)) {
    return { ...there, action: "update", replaces: target, ...FINISH_LINKS };
  }
  // The stack keeps it in another form than it was sent in; that was reported when it was written.
  if (asWritten || isUnadapted({ kind, record }, target, ids, basis)) return there;
  const lacked = lackedMembers(kind, body, target.body, basis);
  if (lacked !== undefined) return { ...there, lacked };
  const lacking = linksLacking(kind, record, body, target.body, archive);
  if (lacking.length > 0) {
    const message = `the target's ${nounOf(kind.name)} "${target.name}" lacks ${lacking.join(", ")} and is the same otherwise; an import that was cut short leaves it so, and finishes it with its journal (--journal); without one it is left alone, so add that by hand`;
    return { ...there, code: "lacks-links", message };
  }
  const message = `the target's ${nounOf(kind.name)} "${target.name}" has other content and is left alone; records of this kind are created, never updated`;
  return { ...there, code: "differs", message };
}
