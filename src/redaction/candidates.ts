import type { JsonObject, JsonValue } from "../core/json.ts";
import { isJsonArray, isJsonObject } from "../core/json.ts";
import { formatPointer } from "../core/records/member-path.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import type { NameTest } from "./values/names.ts";
import { MIN_NUMBER, remembered } from "./values/names.ts";
import { masked } from "./placeholders.ts";
import type { Path } from "./placeholders.ts";

/** A string or number that may be a secret, because of its name or its content. */
export interface Candidate {
  readonly value: string | number;
  readonly path: Path;
  /** Whether one of the rules for texts may find a secret in the value. */
  readonly isSuspicious: boolean;
  /** Whether the name of the value's member, or of a member around it, means a credential. */
  readonly isNamed: boolean;
}

/** The verdict on the name of a member. */
interface MemberName {
  readonly isCredential: boolean;
  /** Whether the members beside it may name its value. */
  readonly isValue: boolean;
}

/** Creates the walk that lists candidates. It builds no pointers or lists of names: hardly any value is a secret. */
export function candidateSearch(
  judgeName: NameTest,
  mayHoldSecret: (text: string) => boolean,
): (body: JsonObject) => Candidate[] {
  const isCredential = (name: string): boolean => judgeName(name) !== undefined;
  const judgeMember = remembered((name): MemberName => ({
    isCredential: isCredential(name),
    isValue: VALUE_MEMBER.test(name),
  }));
  return (body) => {
    const candidates: Candidate[] = [];
    const path: (string | number)[] = [];
    /** @param isNamed whether the name of a member around the value means a credential */
    const visit = (value: JsonValue | undefined, isNamed: boolean): void => {
      if (typeof value === "string") {
        const isSuspicious = mayHoldSecret(value);
        if (isSuspicious || isNamed) candidates.push({ value, path: [...path], isSuspicious, isNamed });
      } else if (typeof value === "number") {
        if (isNamed && value >= MIN_NUMBER) candidates.push({ value, path: [...path], isSuspicious: false, isNamed });
      } else if (isJsonArray(value)) visitItems(value, isNamed);
      else if (isJsonObject(value)) visitMembers(value, isNamed);
    };
    const visitItems = (list: readonly JsonValue[], isNamed: boolean): void => {
      for (const [index, item] of list.entries()) {
        const name = nameBefore(list, index, path);
        visitAt(index, item, isNamed || (name !== undefined && isCredential(masked(name))));
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

/** Tells whether a member of this name may describe the members beside it. */
export function isNaming(member: string): boolean {
  return NAME_MEMBER.test(member);
}

/** Returns the names beside a value, as in a list of headers: `{ name: "X-Api-Key", value: "…" }`. */
function namesBeside(value: JsonObject, valueMember: string): string[] {
  return Object.entries(value).flatMap(([member, name]) =>
    member !== valueMember && typeof name === "string" && isNaming(member) ? [masked(name)] : [],
  );
}

/** Returns the item before, if it names the item at `index`: `[["password", "…"]]`, `["--password", "…"]`. */
function nameBefore(list: readonly JsonValue[], index: number, path: Path): string | undefined {
  const previousItem = index > 0 ? list[index - 1] : undefined;
  if (typeof previousItem !== "string" || typeof list[index] !== "string") return undefined;
  if (list.length === 2 && typeof path.at(-1) === "number") return previousItem;
  return /^--?[a-z][a-z-]{1,40}$/i.test(previousItem) ? previousItem.replace(/^-+/, "") : undefined;
}

/** The pointer of a candidate and the names that describe it. */
export interface Place {
  readonly pointer: string;
  /** The names of the member and of those around it, and the `name` beside a `value`; innermost first. */
  readonly names: readonly string[];
}

/** Collects the names that may describe a candidate. */
export function placeOf(body: JsonObject, path: Path): Place {
  const names: string[] = [];
  let container: JsonValue | undefined = body;
  for (const [depth, token] of path.entries()) {
    if (isJsonArray(container)) {
      const name = nameBefore(container, Number(token), path.slice(0, depth));
      if (name !== undefined) names.unshift(masked(name));
      container = container[Number(token)];
    } else if (isJsonObject(container) && typeof token === "string") {
      names.unshift(...(VALUE_MEMBER.test(token) ? namesBeside(container, token) : []), token);
      container = container[token];
    }
  }
  return { pointer: formatPointer(path.map(String)), names };
}

/** Matches the two forms of ids (docs/api.md#identity). */
export const ID = /^(?:[\da-f]{24}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i;

/** Tells whether a value is the id of a record or child, which is never redacted. */
export type IdTest = (path: Path, value: string | number) => boolean;

const idTests = new WeakMap<ResourceKind, IdTest>();

/** Returns the id test of a kind. */
export function idTest(kind: ResourceKind): IdTest {
  const cachedTest = idTests.get(kind);
  if (cachedTest) return cachedTest;
  const places = [
    "id",
    ...kind.children.map(({ member }) => `${member}[].id`),
    ...kind.references.map(({ path }) => path),
    ...kind.idsLearnedFrom.map(({ path }) => path),
  ];
  const paths = places.map((place) => place.replaceAll("[]", ".[]").split("."));
  const test: IdTest = (path, value) =>
    typeof value === "string" &&
    (path.length === 1 ? path[0] === "id" || /^[^\s=;@/]{1,100}$/.test(value) : ID.test(value)) &&
    paths.some((steps) => steps.length === path.length && steps.every((step, index) => fits(step, path[index])));
  idTests.set(kind, test);
  return test;
}

function fits(step: string, token: string | number | undefined): boolean {
  return step === "[]" ? typeof token === "number" : step === token;
}
