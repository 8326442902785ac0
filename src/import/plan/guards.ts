import { type JsonObject, visitStrings } from "../../core/json.ts";
import { willWrite } from "../../core/plan/plan.ts";
import { formatPointer } from "../../core/records/member-path.ts";
import type { RecordKey } from "../../core/records/record.ts";
import { MAX_NAMED, joinNames } from "../../core/text/format.ts";
import { findRefusedValues } from "../../kinds/limits.ts";
import { prefixName } from "../../matching/plan-options.ts";
import { CORRECT_REFUSED, placeForPeople } from "../refusals.ts";
import { formOf } from "../write-body.ts";
import { decisionKey, type Decision, type DecisionBasis } from "./decide/decision.ts";
import { blockWithoutSecrets } from "./decide/missing-secrets.ts";
import { blockCascadeDeletes, blockHiddenLoss, nameHiddenContent } from "./update-losses.ts";
import { blockRefused } from "./variant-rules.ts";

/** Blocks a write, or adds to it what people must know of it. */
type Guard = (decision: Decision, basis: DecisionBasis) => Decision;

/** The guards of writes, in their order: the first one that blocks a write gives the reason. */
const GUARDS: readonly Guard[] = [
  blockWithoutSecrets,
  blockRefusedCreate,
  checkLimits,
  blockCascadeDeletes,
  blockHiddenLoss,
  blockRefused,
  blockCredentials,
  nameHiddenContent,
];

export function guardAll(decided: ReadonlyMap<RecordKey, Decision>, basis: DecisionBasis): Map<RecordKey, Decision> {
  const guarded = (decision: Decision): Decision =>
    GUARDS.reduce((write, guard) => (willWrite(write) ? guard(write, basis) : write), decision);
  return new Map([...decided].map(([key, decision]) => [key, guarded(decision)]));
}

/** Blocks a create that the target itself has said it would refuse. */
function blockRefusedCreate(decision: Decision, { refused }: DecisionBasis): Decision {
  const reason = decision.action === "create" ? refused.get(decisionKey(decision)) : undefined;
  if (reason === undefined) return decision;
  const message = `the target would refuse it: ${reason}; ${CORRECT_REFUSED}`;
  return { ...decision, action: "blocked", code: "would-be-refused", message };
}

/**
 * Adds the changes of `--fit-limits` to the decision, or blocks the record: answers contain forms that a write refuses, and the
 * user should learn this before anything is written.
 */
function checkLimits(decision: Decision, { ids, options, bodies }: DecisionBasis): Decision {
  const { kind, record, parts } = decision;
  const { fitLimits = false, namePrefix, now } = options;
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
function blockCredentials(decision: Decision, { holdsCredential }: DecisionBasis): Decision {
  const { kind, record, targetId, targetName } = decision;
  if (!holdsCredential(JSON.stringify(record.body))) return decision;
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
