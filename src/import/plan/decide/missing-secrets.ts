import { willWrite, type MissingSecret } from "../../../core/plan/plan.ts";
import { formatPointer, placesAt, valueAtTokens, withoutPath } from "../../../core/records/member-path.ts";
import type { Warning } from "../../../core/outcome.ts";
import { keyOfRecord, labelOf, type StackRecord } from "../../../core/records/record.ts";
import type { ResourceKind, Refusal } from "../../../core/resource-kind.ts";
import { missingWriteOnlyFields } from "../../../kinds/members/write-only.ts";
import { writeOnlyContext, placeContext } from "../../../redaction/filling/context.ts";
import { listTopLevelAddresses, findSurroundings, type ExposedPlace } from "../../../redaction/filling/surroundings.ts";
import { findPlaceholders, type PlaceholderPlace } from "../../../redaction/placeholders.ts";
import { childIdPaths } from "../../../references/children.ts";
import { isFillable, type SuppliedSecrets } from "../../read/fill-records.ts";
import type { Decision, DecisionBasis } from "./decision.ts";

const DRAFT = "--draft-secrets FILE drafts a file for your answers, --secrets FILE uses it";

const CHANGED: Refusal = {
  code: "secret-refused",
  message:
    "the value in the secrets file was drafted for another text, or has no context, so the value is not used; draft the file again with --draft-secrets, read the text, and fill in the file",
};

const UNLISTED: Refusal = {
  code: "placeholder-unlisted",
  message:
    "contains a placeholder that the archive's manifest does not list, and such a placeholder is not filled in; correct the record on the stack that the archive is from, and export again",
};

const FOREIGN: Refusal = {
  code: "secret-refused",
  message:
    "the secrets file gives a whole address on another host; give only the part for the placeholder, or an address on the archive's host",
};

function missingSecretReason(
  kind: ResourceKind,
  record: StackRecord,
  suppliedSecrets: SuppliedSecrets,
): Refusal | undefined {
  const key = keyOfRecord(record);
  const places = placesToFill(kind, record);
  if (places.length === 0) return undefined;
  const filling = suppliedSecrets.filled.get(key);
  if (places.some((place) => !isFillable(key, place, suppliedSecrets.isListed))) return UNLISTED;
  if (places.some(({ pointer }) => filling?.refused.has(pointer))) return CHANGED;
  if (places.some(({ pointer }) => filling?.foreign.has(pointer))) return FOREIGN;
  const count = places.reduce((sum, { rules }) => sum + rules.length, 0);
  const secrets = count === 1 ? "a secret" : `${count} secrets`;
  return { code: "redacted", message: `the export took ${secrets} out of this record; ${DRAFT}` };
}

/** No stack should show a placeholder. */
export function blockWithoutSecrets(decision: Decision, { suppliedSecrets }: DecisionBasis): Decision {
  const { action, kind, record, targetId, targetName } = decision;
  const writeOnly = action === "create" ? writeOnlyReason(kind, record, suppliedSecrets) : undefined;
  const reason = writeOnly ?? missingSecretReason(kind, record, suppliedSecrets);
  if (reason === undefined) return decision;
  return { kind, record, targetId, targetName, action: "blocked", ...reason };
}

function writeOnlyReason(
  kind: ResourceKind,
  record: StackRecord,
  suppliedSecrets: SuppliedSecrets,
): Refusal | undefined {
  const filling = suppliedSecrets.filled.get(keyOfRecord(record));
  const needs = missingWriteOnlyFields(kind, record.body, filling?.supplied);
  if (needs.length === 0) return undefined;
  if (needs.some(({ path }) => filling?.refused.has(`/${path}`))) return CHANGED;
  const members = needs.map(({ path }) => path).join(", ");
  return {
    code: "redacted",
    message: `the API never returns its ${members}; ${DRAFT}; write null for a member that had none`,
  };
}

/** A secret of a record that is blocked with such a code can still be given. */
const CODES_TO_SUPPLY: readonly unknown[] = ["redacted", CHANGED.code];

export function secretsMissingFor({ kind, record, code }: Decision, suppliedSecrets: SuppliedSecrets): MissingSecret[] {
  if (!CODES_TO_SUPPLY.includes(code)) return [];
  const key = keyOfRecord(record);
  const name = labelOf(record);
  const { body } = archivedOf(record, suppliedSecrets);
  const unfilledPlaces = placesToFill(kind, record).filter((place) => isFillable(key, place, suppliedSecrets.isListed));
  const placeholders = unfilledPlaces.map(({ pointer, rules, tokens }): MissingSecret => {
    const around = surroundingsAt(body, tokens).map(({ line }) => line);
    return { key, name, pointer, rules, context: placeContext(kind, body, tokens), around };
  });
  const supplied = suppliedSecrets.filled.get(key)?.supplied;
  const needs = missingWriteOnlyFields(kind, record.body, supplied).map((need): MissingSecret => {
    const context = writeOnlyContext(kind, body, need);
    const around = listTopLevelAddresses(kind, body);
    const pointer = `/${need.path}`;
    return { key, name, pointer, rules: [need.rule], context, around, writeOnly: true, named: need.named };
  });
  return [...placeholders, ...needs];
}

const EXPOSED: Readonly<Record<ExposedPlace, string>> = {
  url: "is part of an address, so the server there can read it, and an image is fetched by every viewer",
  header: "is sent in a header",
};

export function warnOfExposedSecrets(
  { kind, record, action, code }: Decision,
  suppliedSecrets: SuppliedSecrets,
): Warning[] {
  const isToFill = CODES_TO_SUPPLY.includes(code) || code === UNLISTED.code;
  if (!willWrite({ action }) && !(action === "blocked" && isToFill)) return [];
  const archived = archivedOf(record, suppliedSecrets);
  // A secret in a declared member, such as a webhook's address, is not exposed.
  const declaredPointers = new Set(
    kind.secrets.flatMap(({ path }) => placesAt(archived.body, path).map(({ tokens }) => formatPointer(tokens))),
  );
  const places = placesToFill(kind, archived).filter(({ pointer }) => !declaredPointers.has(pointer));
  return places.flatMap(({ tokens, pointer }) => {
    const exposures = surroundingsAt(archived.body, tokens).flatMap(({ within, hosts }) => {
      const host = hosts.length === 0 ? "" : ` (${hosts.join(", ")})`;
      return within.map((place) => `${EXPOSED[place]}${host}`);
    });
    return [...new Set(exposures)].map((exposure) => {
      const message = `a secret of the ${kind.singular} "${archived.name}" that is filled in ${exposure}`;
      return { code: "secret-exposed", message, pointer };
    });
  });
}

/** Members that are never written do not count. */
function placesToFill(kind: ResourceKind, { body }: StackRecord): PlaceholderPlace[] {
  return findPlaceholders([...kind.serverOwned, ...childIdPaths(kind)].reduce(withoutPath, body));
}

/** Messages quote the archived texts, because `record` may already contain secrets. */
function archivedOf(record: StackRecord, { filled }: SuppliedSecrets): StackRecord {
  return filled.get(keyOfRecord(record))?.unfilled ?? record;
}

function surroundingsAt(body: StackRecord["body"], tokens: readonly string[]): ReturnType<typeof findSurroundings> {
  const text = valueAtTokens(body, tokens);
  return typeof text === "string" ? findSurroundings(text, tokens) : [];
}
