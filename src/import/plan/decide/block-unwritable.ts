import { findRefusedValues } from "../../../kinds/limits.ts";
import { applyNaming } from "../../../matching/plan-options.ts";
import { buildBody } from "../../write-body.ts";
import { decisionKey, willWrite, type Decision, type DecisionBasis } from "./decision.ts";
import { limitRefusal } from "../../limit-refusal.ts";
import { CORRECT_REFUSED } from "../../refused-places.ts";

/** Blocks a record whose body cannot be written, according to the known limits of the API and to the target's own verdict. */
export function blockUnwritable(decision: Decision, basis: DecisionBasis): Decision {
  const { verdicts } = basis;
  const { action } = decision;
  const key = decisionKey(decision);
  const reason = action === "create" ? verdicts.refused.get(key) : undefined;
  if (reason === undefined) return checkLimits(decision, basis);
  return {
    ...decision,
    action: "blocked",
    code: "would-be-refused",
    message: `the target would refuse it: ${reason}; ${CORRECT_REFUSED}`,
  };
}

/**
 * Adds the changes of `--fit-limits` to the decision, or blocks the record: answers contain forms that a write refuses, and the
 * user should learn this before anything is written.
 */
function checkLimits(decision: Decision, { archive, options, ids }: DecisionBasis): Decision {
  const { kind, record, parts, targetId } = decision;
  const { fitLimits = false, naming, now } = options;
  if (!willWrite(decision)) return decision;
  // An update of parts also sends the target's other parts, so these are checked as well.
  const body =
    parts === undefined || targetId === undefined
      ? applyNaming(kind, record.body, naming)
      : buildBody(kind, record, { ids, knownIds: archive.knownIds, naming }, decision).sent;
  const refused = findRefusedValues(kind, body, now);
  if (refused.length === 0) return decision;
  const refusal = limitRefusal({ kind, body, refused }, fitLimits, {
    fixed: (members) =>
      `the API takes only ${members}; stackferry chooses no other value, because that would change the meaning of the record: change it on ${parts === undefined ? "the stack that the archive is from" : "the stack that has it"}`,
    fitting: (members) =>
      `the API does not accept this record in the form in which the API returns it; --fit-limits would write ${members}`,
  });
  if (refusal !== undefined) return { ...decision, action: "blocked", ...refusal };
  return { ...decision, fitted: refused.map(({ pointer, change }) => ({ pointer, change })) };
}
