import { getOrMake } from "../core/collections.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { formatPointer } from "../core/records/member-path.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { MIN_SECRET_NUMBER, cacheAnswers, type NameTest } from "./values/names.ts";
import { maskPlaceholders, type ValuePath } from "./placeholders.ts";

/** A string or number that may be a secret, because of its name or its content. */
export interface SecretCandidate {
  readonly value: string | number;
  readonly path: ValuePath;
  /** Whether one of the rules for texts may find a secret in the value. */
  readonly isSuspicious: boolean;
  /** Whether the name of the value's member, or of an enclosing member, means a credential. */
  readonly isNamed: boolean;
}

/**
 * Creates the walk that lists candidates. For speed, the walk builds no pointer and no list of names for a value, because hardly
 * any value turns out to be a secret.
 */
export function createCandidateSearch(
  judgeName: NameTest,
  mayHoldSecret: (text: string) => boolean,
): (body: JsonObject) => SecretCandidate[] {
  const isCredential = (name: string): boolean => judgeName(name) !== undefined;
  // `isValue`: another member of the same object may name the value of this member, as in `{ name, value }`.
  const judgeMember = cacheAnswers((name) => ({ isCredential: isCredential(name), isValue: VALUE_MEMBER.test(name) }));
  return (body) => {
    const candidates: SecretCandidate[] = [];
    const path: (string | number)[] = [];
    /** @param isNamed whether a name that applies to the value means a credential */
    const visit = (value: JsonValue | undefined, isNamed: boolean): void => {
      if (typeof value === "string") {
        const isSuspicious = mayHoldSecret(value);
        if (isSuspicious || isNamed) candidates.push({ value, path: [...path], isSuspicious, isNamed });
      } else if (typeof value === "number") {
        if (isNamed && value >= MIN_SECRET_NUMBER)
          candidates.push({ value, path: [...path], isSuspicious: false, isNamed });
      } else if (isJsonArray(value)) visitItems(value, isNamed);
      else if (isJsonObject(value)) visitMembers(value, isNamed);
    };
    const visitItems = (list: readonly JsonValue[], isNamed: boolean): void => {
      for (const [index, item] of list.entries()) {
        const name = nameBefore(list, index, path);
        visitAt(index, item, isNamed || (name !== undefined && isCredential(maskPlaceholders(name))));
      }
    };
    const visitMembers = (members: JsonObject, isNamed: boolean): void => {
      for (const name of Object.keys(members)) {
        const member = judgeMember(name);
        const isNamedBeside = member.isValue && namesBeside(members, name).some(isCredential);
        visitAt(name, members[name], isNamed || member.isCredential || isNamedBeside);
      }
    };
    const visitAt = (token: string | number, value: JsonValue | undefined, isNamed: boolean): void => {
      path.push(token);
      visit(value, isNamed);
      path.pop();
    };
    visit(body, false);
    return candidates;
  };
}

const NAME_MEMBER =
  /(?:name|key|header|field|param|parameter|label|property|attribute|attr|option|setting|variable|title|path|nom|nombre|nome|clave|chave|bezeichnung)$|^(?:k|n|@?id|env|var|prop)$/i;
const VALUE_MEMBER =
  /(?:value|values|content|contents|setting|string|literal|valeur|valor|wert|valore|contenu|contenido)$|^(?:v|is|val|[#$_]?text|data|default|plaintext)$/i;

export function mayDescribeNeighbours(member: string): boolean {
  return NAME_MEMBER.test(member);
}

/** Returns the names beside a value, as in a list of headers: `{ name: "X-Api-Key", value: "…" }`. */
function namesBeside(value: JsonObject, valueMember: string): string[] {
  return Object.entries(value).flatMap(([member, name]) =>
    member !== valueMember && typeof name === "string" && mayDescribeNeighbours(member) ? [maskPlaceholders(name)] : [],
  );
}

/** Returns the previous item of a list, if it names the item at `index`: `[["password", "…"]]`, `["--password", "…"]`. */
function nameBefore(list: readonly JsonValue[], index: number, path: ValuePath): string | undefined {
  const previousItem = index > 0 ? list[index - 1] : undefined;
  if (typeof previousItem !== "string" || typeof list[index] !== "string") return undefined;
  if (list.length === 2 && typeof path.at(-1) === "number") return previousItem;
  return /^--?[a-z][a-z-]{1,40}$/i.test(previousItem) ? previousItem.replace(/^-+/, "") : undefined;
}

export interface NamedPlace {
  readonly pointer: string;
  /**
   * Names that describe the value, innermost first: its member, the enclosing members and, in a `{ name, value }` pair, the text of
   * `name`.
   */
  readonly names: readonly string[];
}

export function describePlace(body: JsonObject, path: ValuePath): NamedPlace {
  const names: string[] = [];
  let container: JsonValue | undefined = body;
  for (const [depth, token] of path.entries()) {
    if (isJsonArray(container)) {
      const name = nameBefore(container, Number(token), path.slice(0, depth));
      if (name !== undefined) names.unshift(maskPlaceholders(name));
      container = container[Number(token)];
    } else if (isJsonObject(container) && typeof token === "string") {
      names.unshift(...(VALUE_MEMBER.test(token) ? namesBeside(container, token) : []), token);
      container = container[token];
    }
  }
  return { pointer: formatPointer(path.map(String)), names };
}

/** Matches the two forms of ids (docs/api.md#identity). */
const ID_PATTERN = /^(?:[\da-f]{24}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i;

/** Tells whether a value is the id of a record or child, which is never redacted. */
export type IdTest = (path: ValuePath, value: string | number) => boolean;

const idTests = new Map<ResourceKind, IdTest>();

export function idTestForKind(kind: ResourceKind): IdTest {
  return getOrMake(idTests, kind, () => createIdTest(kind));
}

function createIdTest(kind: ResourceKind): IdTest {
  const places = [
    "id",
    ...kind.children.map(({ member }) => `${member}[].id`),
    ...kind.references.map(({ path }) => path),
    ...kind.idsLearnedFrom.map(({ path }) => path),
  ];
  const paths = places.map((place) => place.replaceAll("[]", ".[]").split("."));
  return (path, value) =>
    typeof value === "string" &&
    (path.length === 1 ? path[0] === "id" || /^[^\s=;@/]{1,100}$/.test(value) : ID_PATTERN.test(value)) &&
    paths.some((steps) => steps.length === path.length && steps.every((step, index) => fits(step, path[index])));
}

function fits(step: string, token: string | number | undefined): boolean {
  return step === "[]" ? typeof token === "number" : step === token;
}
