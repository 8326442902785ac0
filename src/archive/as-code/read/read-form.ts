import { basename } from "node:path";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { placesAt } from "../../../core/records/member-path.ts";
import type { Variant } from "../../../core/records/record.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import { dashboards } from "../../../kinds/dashboards.ts";
import { nounOf, pluralOf } from "../../../kinds/nouns.ts";
import { kinds } from "../../../kinds/registry.ts";
import { isId, referenceMember } from "../convert-record.ts";
import { kindOfSchemaComment } from "../schema.ts";
import type { CodeValues } from "../values.ts";
import { fromExportedDashboard, isExportedDashboard } from "./exported-dashboard.ts";
import { type CodeFiles, type ParsedFile, problemAt, type Remarks, unreadOf, withRemarks } from "./code-file.ts";
import { fromOlderForm } from "./older-tiles.ts";
import { parseFile, type ParsedText } from "./parse-file.ts";

/** `answered` are records in the form of the API. Their ids become names once all files are read. */
export interface ReadForm extends CodeFiles {
  readonly answered: readonly AnsweredRecord[];
}

const NOTHING: ReadForm = { files: [], problems: [], answered: [] };

/** @returns undefined if nothing tells the kind of a record in the file */
export function readForm(
  path: string,
  text: string,
  kind: ResourceKind | undefined,
  values: CodeValues,
): ReadForm | undefined {
  const parsed = parseFile(path, text);
  if ("message" in parsed) {
    return kind && { ...NOTHING, problems: [{ ...parsed, unread: unreadOf(kind, seemingNames(text)) }] };
  }
  const { value } = parsed;
  // A first line that names the schema marks a code file, whatever its members.
  if (kindOfSchemaComment(text) !== undefined && kind !== undefined) return readCode(parsed, kind, values);
  const answer = readAnswer(value);
  if (answer !== undefined) return recordsOfAnswer(parsed, answer, kind);
  if (!isJsonObject(value)) return kind && readCode(parsed, kind, values);
  // An exported dashboard can be in any folder.
  if (isExportedDashboard(value))
    return readMembers({ ...parsed, text: undefined }, dashboards, values, fromExportedDashboard);
  const fileKind = kind ?? kindOf(path, value);
  if (fileKind === undefined) return undefined;
  if (!isInApiForm(fileKind, fromOlderForm(fileKind, value).code)) return readCode(parsed, fileKind, values);
  const { locate } = parsed;
  return { ...NOTHING, answered: [{ path, locate, kind: fileKind, body: value, tokens: [] }] };
}

function kindOf(path: string, value: JsonValue): ResourceKind | undefined {
  const isRecord = isJsonObject(value) && typeof value["id"] === "string";
  return kindToldByMembers(value) ?? (isRecord ? kindToldByFileName(path) : undefined);
}

function readCode(parsed: ParsedText, kind: ResourceKind, values: CodeValues): ReadForm {
  return readMembers(parsed, kind, values, (members) => fromOlderForm(kind, members));
}

function readMembers(
  parsed: ParsedText,
  kind: ResourceKind,
  values: CodeValues,
  convert: (members: JsonObject) => { readonly code: JsonObject } & Remarks,
): ReadForm {
  const filled = parsed.fill(values, kind);
  if ("message" in filled) return { ...NOTHING, problems: [filled] };
  const { path, text, locate } = parsed;
  const { code, ...remarks } = convert(filled.code);
  return { ...NOTHING, ...withRemarks({ path, text, locate, kind, code }, remarks) };
}

function recordsOfAnswer(parsed: ParsedText, answer: Answer, kind: ResourceKind | undefined): ReadForm | undefined {
  const { path, locate } = parsed;
  const { variant, total } = answer;
  const valuesOfKnownKind = answer.values.flatMap(({ value, tokens }) => {
    const ofValue = kind ?? kindOf(path, value);
    const place = { path, recordPath: `${path}#${tokens.join("/")}`, locate };
    return ofValue === undefined ? [] : [{ ...place, kind: ofValue, value, tokens }];
  });
  const fileKind = kind ?? kindToldByFileName(path);
  if (valuesOfKnownKind.length === 0 && (answer.values.length > 0 || fileKind === undefined)) return undefined;
  return {
    files: [],
    answered: valuesOfKnownKind.flatMap(({ value, ...place }) =>
      isJsonObject(value) ? [{ ...place, body: value, variant, total }] : [],
    ),
    problems: valuesOfKnownKind.flatMap(({ value, tokens, ...place }) =>
      isJsonObject(value) ? [] : [{ ...problemAt(place, tokens, "it is no record"), unread: unreadOf(place.kind) }],
    ),
  };
}

interface ListedValue {
  readonly value: JsonValue;
  readonly tokens: readonly string[];
}

export interface AnsweredRecord extends ParsedFile {
  readonly kind: ResourceKind;
  readonly body: JsonObject;
  readonly tokens: readonly string[];
  readonly variant?: Variant | undefined;
  readonly total?: number | undefined;
}

interface Answer {
  readonly values: readonly ListedValue[];
  readonly variant: Variant | undefined;
  readonly total: number | undefined;
}

/** The member in which each variant wraps an answer (docs/api.md#envelopes). */
const ENVELOPES = [
  ["data", "self-hosted"],
  ["result", "managed"],
] as const;

function readAnswer(value: JsonValue): Answer | undefined {
  if (isJsonArray(value)) return { values: valuesOf(value, []), variant: undefined, total: undefined };
  if (!isJsonObject(value) || isNamed(value)) return undefined;
  const { meta } = value;
  const total = isJsonObject(meta) && typeof meta["total"] === "number" ? meta["total"] : undefined;
  for (const [member, variant] of ENVELOPES) {
    const content = value[member];
    if (isJsonArray(content) || isJsonObject(content)) return { values: valuesOf(content, [member]), variant, total };
  }
  return undefined;
}

function valuesOf(content: JsonValue, tokens: readonly string[]): ListedValue[] {
  if (!isJsonArray(content)) return [{ value: content, tokens }];
  return content.map((value, index) => ({ value, tokens: [...tokens, String(index)] }));
}

/** An object with a name or an id is a record, even if it has a member `data` or `result`. */
function isNamed(value: JsonObject): boolean {
  return typeof value["name"] === "string" || typeof value["id"] === "string";
}

function isInApiForm(kind: ResourceKind, body: JsonObject): boolean {
  if (typeof body["id"] === "string") return true;
  return kind.references.some((path) => {
    const { member, memberInFiles } = referenceMember(path);
    return member !== memberInFiles && placesAt(body, path.path).some(({ value }) => isId(value));
  });
}

function kindToldByMembers(value: JsonValue): ResourceKind | undefined {
  if (!isJsonObject(value)) return undefined;
  const isSet = (name: string): boolean => (value[name] ?? null) !== null;
  const [told, ...others] = kinds.filter(({ code }) => code.toldBy.some((members) => members.every(isSet)));
  return others.length === 0 ? told : undefined;
}

function kindToldByFileName(path: string): ResourceKind | undefined {
  const words = wordsOf(basename(path).replace(/\.[^.]*$/, ""));
  const [told, ...others] = kinds.filter((kind) =>
    [nounOf(kind.name), pluralOf(kind.name)].some((noun) => words.includes(wordsOf(noun))),
  );
  return others.length === 0 ? told : undefined;
}

function wordsOf(name: string): string {
  return ` ${name
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, " ")
    .trim()} `;
}

/** Guesses the names in an unparsable file. References to these names then count as blocked, not as mistakes. */
function seemingNames(text: string): readonly string[] {
  return [...text.matchAll(/^\s{0,2}["']?(?:name|key)["']?:\s*["']?(.*?)["']?,?\s*$/gm)].map(([, name = ""]) => name);
}
