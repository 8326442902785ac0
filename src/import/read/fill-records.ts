import { ownMember, type JsonObject, type JsonValue } from "../../core/json.ts";
import { groupBy } from "../../core/collections.ts";
import { isNamedValues, type SecretAnswer, type SecretAnswers, type SecretValue } from "../../core/secrets.ts";
import type { Manifest } from "../../core/manifest.ts";
import { parsePointer, valueAtTokens } from "../../core/records/member-path.ts";
import type { Warning } from "../../core/outcome.ts";
import { keyOfRecord, recordKey, type RecordKey, type StackRecord } from "../../core/records/record.ts";
import type { WriteOnlyField, ResourceKind } from "../../core/resource-kind.ts";
import { findKind } from "../../kinds/registry.ts";
import { fitIntoAddress, placeContext, writeOnlyContext } from "../../redaction/filling/context.ts";
import { listFilledTexts, type FilledText } from "../../redaction/filling/filled-texts.ts";
import {
  fillPlaceholders,
  findPlaceholders,
  partsAroundPlaceholders,
  type PlaceholderPlace,
} from "../../redaction/placeholders.ts";

export type IsListedRedaction = (key: RecordKey, pointer: string, rule: string) => boolean;

export interface RecordFilling {
  /** As the import would send the record without the secrets file, with placeholders. */
  readonly unfilled: StackRecord;
  /** Pointers of write-only members for which the file gives a value, or says that there was none. */
  readonly supplied: ReadonlySet<string>;
  /** Pointers of answers that were drafted for another text. */
  readonly refused: ReadonlySet<string>;
  /** Pointers of answers that are whole addresses on another host. */
  readonly foreign: ReadonlySet<string>;
  /** The journal redacts these secrets again in a replaced body. */
  readonly texts: readonly FilledText[];
}

export interface SuppliedSecrets {
  readonly filled: ReadonlyMap<RecordKey, RecordFilling>;
  readonly isListed: IsListedRedaction;
}

export const NO_SECRETS: SuppliedSecrets = { filled: new Map(), isListed: () => true };

export interface FilledRecords {
  readonly records: readonly StackRecord[];
  readonly fillings: ReadonlyMap<RecordKey, RecordFilling>;
  /** About secrets that no place takes, probably because of typing errors. */
  readonly warnings: readonly Warning[];
}

/** Leaves a record's `name` alone, because names are shown and written to files. */
export function fillRecords(
  records: readonly StackRecord[],
  secretAnswers: SecretAnswers,
  isListed: IsListedRedaction,
): FilledRecords {
  const fillings = new Map<RecordKey, RecordFilling>();
  const warnings: Warning[] = [];
  const keys = new Set<string>(records.map(keyOfRecord));
  for (const key of Object.keys(secretAnswers)) {
    const message = `the secrets file names ${key}, which is not in the archive; correct or delete that line`;
    if (!keys.has(key)) warnings.push({ code: "unused", message });
  }
  const filledRecords = records.map((unfilled) => {
    const key = keyOfRecord(unfilled);
    const kind = findKind(unfilled.kind);
    const answers = ownMember(secretAnswers, key);
    if (answers === undefined || kind === undefined) return unfilled;
    const { body, unused, ...effect } = fillRecord(kind, unfilled, answers, isListed);
    fillings.set(key, { unfilled, ...effect });
    const message = `the secrets file gives ${key} a value for a place that accepts none, or the wrong number of values; --draft-secrets drafts the place again`;
    warnings.push(...unused.map((pointer): Warning => ({ code: "unused", message, pointer })));
    return { ...unfilled, body };
  });
  return { records: fillings.size === 0 ? records : filledRecords, fillings, warnings };
}

/** A placeholder that the manifest does not list is never filled in, and blocks its record. */
export function isFillable(key: RecordKey, { pointer, rules }: PlaceholderPlace, isListed: IsListedRedaction): boolean {
  return rules.every((rule) => isListed(key, pointer, rule));
}

export function createRedactionLookup({ entries, redactions }: Manifest): IsListedRedaction {
  const paths = new Map(entries.map(({ kind, id, path }) => [recordKey(kind, id), path]));
  const byPath = groupBy(redactions, ({ path }) => path);
  return (key, pointer, rule) => {
    const listed = byPath.get(paths.get(key) ?? "") ?? [];
    return listed.some((redaction) => redaction.pointer === pointer && redaction.rule === rule);
  };
}

interface FilledBody extends Omit<RecordFilling, "unfilled"> {
  readonly body: JsonObject;
  readonly unused: readonly string[];
}

/** `unlisted`: the manifest lacks the placeholder. The plan blocks the record, so this reason is not collected. */
type Rejection = "refused" | "foreign" | "unused" | "unlisted";

function fillRecord(
  kind: ResourceKind,
  record: StackRecord,
  answers: Readonly<Record<string, readonly SecretAnswer[]>>,
  isListed: IsListedRedaction,
): FilledBody {
  const { body } = record;
  const places = new Map(findPlaceholders(body).map((place) => [place.pointer, place]));
  const values = new Map<PlaceholderPlace, readonly string[]>();
  const members: Record<string, JsonValue> = {};
  const supplied = new Set<string>();
  const rejected = { refused: new Set<string>(), foreign: new Set<string>(), unused: new Set<string>() };
  const reject = (pointer: string, why: Rejection): void => {
    if (why !== "unlisted") rejected[why].add(pointer);
  };
  for (const [pointer, candidates] of Object.entries(answers)) {
    const field = writeOnlyFieldAt(kind, body, pointer);
    const place = places.get(pointer);
    if (field !== undefined) {
      const answer = answerForWriteOnly(kind, body, field, candidates);
      if (typeof answer === "string") reject(pointer, answer);
      else {
        supplied.add(pointer);
        if (answer.value !== null) members[field.path] = answer.value;
      }
    } else if (place === undefined) reject(pointer, "unused");
    else {
      const texts = valuesForPlaceholder(kind, record, place, candidates, isListed);
      if (typeof texts === "string") reject(pointer, texts);
      else values.set(place, texts);
    }
  }
  const filled = fillPlaceholders(body, values);
  const texts = listFilledTexts(kind.name, body, filled, values);
  return { body: { ...filled, ...members }, texts, supplied, ...rejected, unused: [...rejected.unused] };
}

/** An answer of null (there was no value) is valid in every context. */
function answerForWriteOnly(
  kind: ResourceKind,
  body: JsonObject,
  field: WriteOnlyField,
  candidates: readonly SecretAnswer[],
): SecretAnswer | Rejection {
  const context = writeOnlyContext(kind, body, field);
  const answer = candidates.find((candidate) => candidate.context === context || candidate.value === null);
  if (answer === undefined) return "refused";
  return fitsField(field, answer.value) ? answer : "unused";
}

function valuesForPlaceholder(
  kind: ResourceKind,
  record: StackRecord,
  place: PlaceholderPlace,
  candidates: readonly SecretAnswer[],
  isListed: IsListedRedaction,
): readonly string[] | Rejection {
  if (!isFillable(keyOfRecord(record), place, isListed)) return "unlisted";
  const context = placeContext(kind, record.body, place.tokens);
  const answers = candidates.filter(({ value }) => value !== null);
  const values = valuesOf(answers.find((candidate) => candidate.context === context)?.value);
  if (answers.length === 0) return "unused";
  if (values === undefined) return "refused";
  if (values.length !== place.rules.length) return "unused";
  const text = valueAtTokens(record.body, place.tokens);
  return typeof text === "string" ? (fitValues(text, values) ?? "foreign") : values;
}

/** Undefined if a value is a whole address with another beginning than the text. */
function fitValues(text: string, values: readonly string[]): readonly string[] | undefined {
  const parts = partsAroundPlaceholders(text);
  const fitted = values.map((value, index) => fitIntoAddress(parts[index] ?? "", value));
  return fitted.every((value) => value !== undefined) ? fitted : undefined;
}

function writeOnlyFieldAt({ writeOnly }: ResourceKind, body: JsonObject, pointer: string): WriteOnlyField | undefined {
  const [member, ...rest] = parsePointer(pointer);
  return rest.length > 0 ? undefined : writeOnly.find(({ path }) => path === member && body[path] === undefined);
}

function fitsField({ named }: WriteOnlyField, value: SecretValue): boolean {
  return value === null || (named ? isNamedValues(value) : typeof value === "string");
}

function valuesOf(value: SecretValue | undefined): readonly string[] | undefined {
  if (value === undefined || value === null || isNamedValues(value)) return undefined;
  return typeof value === "string" ? [value] : value;
}
