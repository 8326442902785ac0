import { ownMember } from "../../core/json.ts";
import { groupBy } from "../../core/collections.ts";
import type { SecretAnswer, SecretAnswers, SecretValue } from "../../core/secrets.ts";
import { isNamedValues } from "../../core/secrets.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { Manifest } from "../../core/manifest.ts";
import { parsePointer, valueAtTokens } from "../../core/records/member-path.ts";
import type { Warning } from "../../core/outcome.ts";
import type { RecordKey, StackRecord } from "../../core/records/record.ts";
import { keyOfRecord, recordKey } from "../../core/records/record.ts";
import type { WriteOnlyField, ResourceKind } from "../../core/resource-kind.ts";
import { findKind } from "../../kinds/registry.ts";
import { writeOnlyContext, placeContext, judgeSuppliedAddress } from "../../redaction/filling/context.ts";
import type { FilledText } from "../../redaction/filling/filled-texts.ts";
import { listFilledTexts } from "../../redaction/filling/filled-texts.ts";
import type { PlaceholderPlace } from "../../redaction/placeholders.ts";
import { fillPlaceholders, findPlaceholders } from "../../redaction/placeholders.ts";
import type { ManualMapping, MappedMember } from "../../core/plan/plan.ts";

/** A function that tells whether the archive's manifest lists a redaction by this rule in this place. */
export type IsListedRedaction = (key: RecordKey, pointer: string, rule: string) => boolean;

/** The effect of a secrets file on one record. */
export interface FilledRecord {
  /** The record as the archive has it. */
  readonly archived: StackRecord;
  /** Pointers of write-only members for which the secrets file gives a value, or says that there was none. */
  readonly supplied: ReadonlySet<string>;
  /** Pointers of places whose answers are not used, because they were drafted for another text. */
  readonly refused: ReadonlySet<string>;
  /** Pointers of addresses whose answers are not used, because they are whole addresses on another host. */
  readonly foreign?: ReadonlySet<string>;
  /** The supplied secrets and their places, which are redacted again in a replaced body that the journal keeps. */
  readonly texts?: readonly FilledText[];
}

/** The supplied secrets, and the placeholders that the archive's manifest lists, as known when the import is planned. */
export interface SuppliedSecrets {
  /** The records that a secrets file or a map file changes. */
  readonly filled: ReadonlyMap<RecordKey, FilledRecord>;
  readonly isListed: IsListedRedaction;
}

/** The default: no secret is supplied, and every placeholder counts as listed. */
export const NO_SECRETS: SuppliedSecrets = { filled: new Map(), isListed: () => true };

/** An archive's records with placeholders filled in. */
export interface FilledRecords {
  readonly records: readonly StackRecord[];
  /** The records that the secrets file names. */
  readonly filled: ReadonlyMap<RecordKey, FilledRecord>;
  /** A warning for each value that found no placeholder (`secret-unused`), so that a typing error is noticed. */
  readonly warnings: readonly Warning[];
}

/** Replaces placeholders by the supplied secrets, but not in names, which are displayed and written to files. */
export function fillRecords(
  records: readonly StackRecord[],
  secretAnswers: SecretAnswers,
  isListed: IsListedRedaction,
): FilledRecords {
  const filled = new Map<RecordKey, FilledRecord>();
  const warnings: Warning[] = [];
  const keys = new Set<string>(records.map(keyOfRecord));
  for (const key of Object.keys(secretAnswers)) {
    const message = `the secrets file names ${key}, which is not in the archive`;
    if (!keys.has(key)) warnings.push({ code: "secret-unused", message });
  }
  const made = records.map((archived) => {
    const key = keyOfRecord(archived);
    const kind = findKind(archived.kind);
    const answers = ownMember(secretAnswers, key);
    if (answers === undefined || kind === undefined) return archived;
    const { body, unused, ...rest } = fillRecord(kind, archived, answers, (place) => isFillable(key, place, isListed));
    filled.set(key, { archived, ...rest });
    const message = `the secrets file gives ${key} a value for a place that accepts none, or the wrong number of values`;
    warnings.push(...unused.map((pointer) => ({ code: "secret-unused", message, pointer })));
    return { ...archived, body };
  });
  return { records: filled.size === 0 ? records : made, filled, warnings };
}

/** Tells whether the export wrote the placeholder. One that somebody typed into a record is ordinary text. */
export function isFillable(key: RecordKey, { pointer, rules }: PlaceholderPlace, isListed: IsListedRedaction): boolean {
  return rules.every((rule) => isListed(key, pointer, rule));
}

/** Makes a function that looks up the redactions that the manifest lists. */
export function listedRedactions({ entries, redactions }: Manifest): IsListedRedaction {
  const paths = new Map(entries.map(({ kind, id, path }) => [recordKey(kind, id), path]));
  const byPath = groupBy(redactions, ({ path }) => path);
  return (key, pointer, rule) => {
    const listed = byPath.get(paths.get(key) ?? "") ?? [];
    return listed.some((redaction) => redaction.pointer === pointer && redaction.rule === rule);
  };
}

interface Filling extends Omit<FilledRecord, "archived"> {
  readonly body: JsonObject;
  /** Pointers in the secrets file whose values are not used, because no place accepts them. */
  readonly unused: readonly string[];
}

function fillRecord(
  kind: ResourceKind,
  { body }: StackRecord,
  answers: Readonly<Record<string, readonly SecretAnswer[]>>,
  isOpen: (place: PlaceholderPlace) => boolean,
): Filling {
  const places = new Map(findPlaceholders(body).map((place) => [place.pointer, place]));
  const found = new Map<PlaceholderPlace, readonly string[]>();
  const members: Record<string, JsonValue> = {};
  const [supplied, refused] = [new Set<string>(), new Set<string>()];
  const [foreign, unused] = [new Set<string>(), new Set<string>()];
  for (const [pointer, candidates] of Object.entries(answers)) {
    const field = writeOnlyFieldAt(kind, body, pointer);
    const place = places.get(pointer);
    if (field !== undefined) {
      const context = writeOnlyContext(kind, body, field);
      const answer = candidates.find((candidate) => candidate.context === context || candidate.value === null);
      if (answer === undefined) refused.add(pointer);
      else if (!fitsField(field, answer.value)) unused.add(pointer);
      else {
        supplied.add(pointer);
        if (answer.value !== null) members[field.path] = answer.value;
      }
    } else if (place === undefined) unused.add(pointer);
    else if (isOpen(place)) {
      const context = placeContext(kind, body, place.tokens);
      const texts = candidates.filter(({ value }) => value !== null);
      const values = valuesOf(texts.find((candidate) => candidate.context === context)?.value);
      if (texts.length === 0) unused.add(pointer);
      else if (values === undefined) refused.add(pointer);
      else if (values.length !== place.rules.length) unused.add(pointer);
      else if (values.some((value) => isForeign(body, place, value))) foreign.add(pointer);
      else found.set(place, values);
    }
  }
  const filled = fillPlaceholders(body, found);
  const texts = listFilledTexts(kind.name, body, filled, found);
  return { body: { ...filled, ...members }, texts, supplied, refused, foreign, unused: [...unused] };
}

function isForeign(body: JsonObject, { tokens }: PlaceholderPlace, value: string): boolean {
  const text = valueAtTokens(body, tokens);
  return typeof text === "string" && judgeSuppliedAddress(text, value) === "foreign";
}

/** Returns the write-only member at this pointer, if the archive lacks it. */
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

const NOTHING: ReadonlySet<string> = new Set();

/** Replaces members of the archive's records by those of a map file: an address may be valid only in the old network. */
export function applyMapFileMembers(read: FilledRecords, mapping: ManualMapping): FilledRecords {
  if (!hasMembers(mapping)) return read;
  const filled = new Map<RecordKey, FilledRecord>(read.filled);
  const records = read.records.map((record) => {
    const members = membersFor(record, mapping);
    if (members === undefined) return record;
    const key = keyOfRecord(record);
    if (!filled.has(key)) filled.set(key, { archived: record, supplied: NOTHING, refused: NOTHING });
    return { ...record, body: { ...record.body, ...members } };
  });
  return { ...read, records, filled };
}

function membersFor(
  { kind, id, name }: StackRecord,
  mapping: ManualMapping,
): Readonly<Record<string, string>> | undefined {
  const lines = mapping[kind] ?? {};
  const mappedLines = [id, name].map((idOrName) => ownMember(lines, idOrName));
  return mappedLines.find((line) => typeof line === "object");
}

function hasMembers(mapping: ManualMapping): boolean {
  return Object.values(mapping).some((lines) => Object.values(lines).some((line) => typeof line === "object"));
}

/** Lists the members of a record that a map file changed. */
export function mappedChanges(record: StackRecord, archived: StackRecord): readonly MappedMember[] {
  const members = findKind(record.kind)?.mappedMembers ?? [];
  return members.flatMap((member): MappedMember[] => {
    const [from, to] = [archived.body[member], record.body[member]];
    if (from === to || typeof to !== "string") return [];
    return [{ member, ...(typeof from === "string" && { from }), to }];
  });
}
