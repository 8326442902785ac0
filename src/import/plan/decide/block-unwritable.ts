import { willWrite } from "../../../core/plan/plan.ts";
import { findRefusedValues } from "../../../kinds/limits.ts";
import { prefixName } from "../../../matching/plan-options.ts";
import { formOf } from "../../write-body.ts";
import { decisionKey, type Decision, type DecisionBasis } from "./decision.ts";
import { CORRECT_REFUSED, placeForPeople } from "../../refused-places.ts";
import { type JsonObject, visitStrings } from "../../../core/json.ts";
import { MAX_NAMED, joinNames } from "../../../core/text/format.ts";
import { formatPointer } from "../../../core/records/member-path.ts";

/** Blocks a record whose body cannot be written, according to the known limits of the API and to the target's own verdict. */
export function blockUnwritable(decision: Decision, basis: DecisionBasis): Decision {
  const reason = decision.action === "create" ? basis.refused.get(decisionKey(decision)) : undefined;
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
function checkLimits(decision: Decision, { ids, options, bodies }: DecisionBasis): Decision {
  const { kind, record, parts } = decision;
  const { fitLimits = false, namePrefix, now } = options;
  if (!willWrite(decision)) return decision;
  // An update of parts also sends the target's other parts, so these are checked as well. Of a whole record, the archived form is
  // checked: what a write leaves out of it may be what it lacks.
  const scope = { ...decision, sourceId: record.id };
  const body =
    parts === undefined
      ? prefixName(kind, record.body, namePrefix)
      : formOf(kind, bodies.of(kind, decisionKey(decision)), scope, ids, {});
  const refused = findRefusedValues(kind, body, now);
  if (refused.length === 0) return decision;
  const fixed = refused.filter((each) => each.fixed);
  const texts = (fixed.length > 0 ? fixed : refused).map(
    ({ tokens, change }) => `${placeForPeople(kind, body, tokens.join("."))}: ${change}`,
  );
  const members = joinNames(texts, MAX_NAMED, (text) => text);
  if (fixed.length > 0) {
    const stack = parts === undefined ? "the stack that the archive is from" : "the stack that has it";
    const message = `the API takes only ${members}; stackferry chooses no other value, because that would change the meaning of the record: change it on ${stack}`;
    return { ...decision, action: "blocked", code: "would-be-refused", message };
  }
  if (!fitLimits) {
    const message = `the API does not accept this record in the form in which the API returns it; --fit-limits would write ${members}`;
    return { ...decision, action: "blocked", code: "needs-fitting", message };
  }
  return { ...decision, fitted: refused.map(({ pointer, change }) => ({ pointer, change })) };
}

/** Blocks a record that contains a credential of the run: everybody who can read the record on the target could use it. */
export function blockCredentials(decision: Decision, { holdsCredential }: DecisionBasis): Decision {
  const { kind, record, targetId, targetName } = decision;
  if (!willWrite(decision) || !holdsCredential(JSON.stringify(record.body))) return decision;
  const message = `${placeOfCredential(record.body, holdsCredential)} contains a credential that this run uses, and such a record is never sent; take the credential out of there, and replace it: everybody who can read that place has it`;
  return { kind, record, targetId, targetName, action: "blocked", code: "secret-in-output", message };
}

function placeOfCredential(body: JsonObject, holdsCredential: DecisionBasis["holdsCredential"]): string {
  const places: string[] = [];
  visitStrings(body, (text, path) => {
    // The name of a member may contain a credential, too, and a message must not.
    if (places.length === 0 && holdsCredential(text) && !path.some(holdsCredential)) places.push(formatPointer(path));
  });
  return places[0] ?? "it";
}
