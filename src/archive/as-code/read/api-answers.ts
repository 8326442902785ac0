import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { placesAt } from "../../../core/records/member-path.ts";
import { ID_PATTERN, type Variant } from "../../../core/records/record.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import { nounOf, pluralOf } from "../../../kinds/nouns.ts";
import { kinds } from "../../../kinds/registry.ts";
import { referenceMember } from "../reference-members.ts";
import type { ParsedFile } from "./code-file.ts";

// Recognises records as the API answers them: in a list or alone, bare or in an envelope (docs/api.md#envelopes).

/** A value that should be a record, and its path in the file. */
interface ListedValue {
  readonly value: JsonValue;
  readonly tokens: readonly string[];
}

export interface AnsweredRecord extends ParsedFile {
  readonly kind: ResourceKind;
  readonly body: JsonObject;
  /** The path of the record in its file. */
  readonly tokens: readonly string[];
  readonly variant?: Variant | undefined;
  readonly total?: number | undefined;
}

export interface Answer {
  readonly values: readonly ListedValue[];
  /** The variant of the stack that answered; undefined if the answer has no envelope. */
  readonly variant: Variant | undefined;
  /** The number of records that the stack counts, if the answer states it. */
  readonly total: number | undefined;
}

/** By variant: the member of an envelope that holds the records. */
const ENVELOPES = [
  ["data", "self-hosted"],
  ["result", "managed"],
] as const;

/** Returns the records of a list or an envelope; undefined if the value is a record, or none of these. */
export function readAnswer(value: JsonValue): Answer | undefined {
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

/** Tells whether the object itself is a record, so that its member `data` or `result` is no envelope. */
function isNamed(value: JsonObject): boolean {
  return typeof value["name"] === "string" || typeof value["id"] === "string";
}

/**
 * Tells whether a record has the form of the API: an id of its own, or ids where a file has names. A request body has no id of its
 * own.
 */
export function isInApiForm(kind: ResourceKind, body: JsonObject): boolean {
  if (typeof body["id"] === "string") return true;
  return kind.references.some((path) => {
    const { member, memberInFiles } = referenceMember(path);
    return member !== memberInFiles && placesAt(body, path.path).some(({ value }) => isId(value));
  });
}

export function isId(value: JsonValue | undefined): value is string {
  return typeof value === "string" && value.replace(ID_PATTERN, "") === "" && value !== "";
}

/** Returns the kind whose members the record has; undefined if no kind, or several, have such members. */
export function kindToldByMembers(value: JsonValue): ResourceKind | undefined {
  if (!isJsonObject(value)) return undefined;
  return only(kinds.filter(({ code }) => code.toldBy.some((members) => members.every((name) => isSet(value[name])))));
}

function isSet(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

/** Returns the kind that the name of a file contains as a word, such as `list-dashboards.json`. */
export function kindToldByFileName(name: string): ResourceKind | undefined {
  const words = wordsOf(name.replace(/\.[^.]*$/, ""));
  return only(
    kinds.filter((kind) => [nounOf(kind.name), pluralOf(kind.name)].some((noun) => words.includes(wordsOf(noun)))),
  );
}

function wordsOf(name: string): string {
  return ` ${name
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, " ")
    .trim()} `;
}

function only(found: readonly ResourceKind[]): ResourceKind | undefined {
  return found.length === 1 ? found[0] : undefined;
}
