import type { Warning } from "../../core/outcome.ts";
import type { Decision } from "./decide/decision.ts";
import { warnOfKept } from "./kept-members.ts";
import { warnOfMerged } from "./merged-items.ts";
import type { ChildBasis } from "./pointed-to-children.ts";
import { warnOfShortLived } from "./pointed-to-children.ts";

/** What is known before a record is written of how the target will hold it. */
export function warnOfWrite(decision: Decision, basis: ChildBasis): Warning[] {
  return [...warnOfKept(decision), ...warnOfMerged(decision, basis.ids), ...warnOfShortLived(decision, basis)];
}
