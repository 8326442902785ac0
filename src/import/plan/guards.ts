import type { OutcomeCode } from "../../core/codes.ts";
import { type JsonObject, visitStrings } from "../../core/json.ts";
import { qualifiedChildId } from "../../core/plan/id-map.ts";
import { willWrite } from "../../core/plan/plan.ts";
import { formatPointer } from "../../core/records/member-path.ts";
import { keyOfRecord, type RecordKey, type StackRecord } from "../../core/records/record.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { MAX_NAMED, joinNames } from "../../core/text/format.ts";
import { findRefusedValues } from "../../kinds/limits.ts";
import { nounOf, pluralOf } from "../../kinds/nouns.ts";
import { prefixName } from "../../matching/plan-options.ts";
import { referenceTargetsOf } from "../../references/archive-index.ts";
import { baseOfPair } from "../../references/compare.ts";
import { childKey } from "../../references/parts.ts";
import { CORRECT_REFUSED, placeForPeople } from "../refusals.ts";
import { formOf } from "../write-body.ts";
import type { Decision, DecisionBasis } from "./decide/decision.ts";
import { blockWithoutSecrets } from "./decide/missing-secrets.ts";
import { isCreateOffered } from "./selection.ts";
import { blockCascadeDeletes, blockHiddenLoss, nameHiddenContent } from "./update-losses.ts";
import { blockRefused } from "./variant-rules.ts";

type Guard = (decision: Decision, basis: DecisionBasis) => Decision;

/** The first guard that blocks a write gives the reason. */
const GUARDS: readonly Guard[] = [
  blockUncertainCreate,
  blockRefused,
  blockWithoutSecrets,
  blockRefusedCreate,
  checkLimits,
  blockCascadeDeletes,
  blockHiddenLoss,
  blockCredentials,
  nameHiddenContent,
];

export function guardAll(decided: ReadonlyMap<RecordKey, Decision>, basis: DecisionBasis): Map<RecordKey, Decision> {
  const guarded = (decision: Decision): Decision =>
    GUARDS.reduce((write, guard) => (willWrite(write) ? guard(write, basis) : write), decision);
  return new Map([...decided].map(([key, decision]) => [key, guarded(decision)]));
}

function blockUncertainCreate(decision: Decision, basis: DecisionBasis): Decision {
  if (decision.action !== "create") return decision;
  const { kind, record } = decision;
  const { matching, inventory, unknownCreates } = basis;
  const blocked = (code: OutcomeCode, message: string): Decision => ({ ...decision, action: "blocked", code, message });
  const unknown = unknownCreates.get(keyOfRecord(record));
  if (unknown !== undefined) return blocked("create-unknown", unknown);
  const ambiguous = matching.pairs.get(kind.name)?.ambiguous.get(record.id);
  if (ambiguous) return blocked("ambiguous", ambiguousTargetMessage(kind, ambiguous));
  if (isOnRemovedChild(record, basis)) return { ...decision, action: "skip", code: "edited", message: REMOVED };
  if (kind.importPolicy.when !== "on-request") return decision;
  const { refusal: unread } = inventory.kinds.get(kind.name) ?? {};
  if (unread !== undefined) {
    const message = `the target may have it, but its ${pluralOf(kind.name)} cannot be read: ${unread}; or name the right one in a map file, by its id`;
    return blocked("forbidden", message);
  }
  if (isCreateOffered(kind, inventory)) return decision;
  const message = `the target does not offer to create a ${nounOf(kind.name)}; create it by hand, or name one of the target's in a map file`;
  return blocked("not-offered", message);
}

export function ambiguousTargetMessage(kind: ResourceKind, candidates: readonly StackRecord[]): string {
  const candidateNames = joinNames(candidates, MAX_NAMED, ({ id, name }) => `"${name}" ${id}`);
  return `nothing proves which of the ${kind.name} of the target is this one (${candidateNames}); name the right one in a map file, or leave this one out (--exclude ID)`;
}

const REMOVED = "is on a tile that was removed on the target, so it is not created; create both by hand";

function isOnRemovedChild(record: StackRecord, { archive, options, bases, matching, ids }: DecisionBasis): boolean {
  // A child that `--tile` chose is put back, whatever `--on-conflict` says.
  if (options.chosen !== undefined || (options.onConflict !== "keep" && options.onConflict !== "merge")) return false;
  return referenceTargetsOf(archive, record).some(({ space, id, record: ownerKey }) => {
    const owner = ownerKey === undefined ? undefined : archive.byKey.get(ownerKey);
    const counterpart = owner && matching.pairs.get(owner.kind)?.pairs.get(owner.id);
    if (ownerKey === undefined || owner === undefined || counterpart === undefined) return false;
    const base = baseOfPair(bases, ownerKey, counterpart.id);
    const formerId = base?.children?.[space]?.[id.slice(qualifiedChildId(owner.id, "").length)];
    if (formerId === undefined || ids.get(space, id) !== undefined) return false;
    return base?.parts[childKey(space, formerId)] !== undefined;
  });
}

function blockRefusedCreate(decision: Decision, { refused }: DecisionBasis): Decision {
  const reason = decision.action === "create" ? refused.get(keyOfRecord(decision.record)) : undefined;
  if (reason === undefined) return decision;
  const message = `the target would refuse it: ${reason}; ${CORRECT_REFUSED}`;
  return { ...decision, action: "blocked", code: "would-be-refused", message };
}

/** The API returns some values that a write refuses. The user should learn this before a write. */
function checkLimits(decision: Decision, { ids, options, bodies }: DecisionBasis): Decision {
  const { kind, record, parts } = decision;
  const { fitLimits = false, namePrefix, now } = options;
  // An update of parts sends the target's other parts, too, so its whole form is checked.
  const scope = { ...decision, sourceId: record.id };
  const body =
    parts === undefined
      ? prefixName(kind, record.body, namePrefix)
      : formOf(kind, bodies.of(keyOfRecord(record)), scope, ids, {});
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

/** Everybody who can read the record on the target could use the credential. */
function blockCredentials(decision: Decision, { holdsCredential }: DecisionBasis): Decision {
  const { kind, record, targetId, targetName } = decision;
  if (!holdsCredential(JSON.stringify(record.body))) return decision;
  const message = `${placeOfCredential(record.body, holdsCredential)} contains a credential that this run uses, and such a record is never sent; take the credential out of there, and replace it: everybody who can read that place has it`;
  return { kind, record, targetId, targetName, action: "blocked", code: "secret-in-output", message };
}

function placeOfCredential(body: JsonObject, holdsCredential: DecisionBasis["holdsCredential"]): string {
  const places: string[] = [];
  visitStrings(body, (text, path) => {
    // A member's name that contains a credential must not get into a message.
    if (places.length === 0 && holdsCredential(text) && !path.some(holdsCredential)) places.push(formatPointer(path));
  });
  return places[0] ?? "it";
}
