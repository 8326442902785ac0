import { getOrMake } from "../core/collections.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { memberPathOf, type MemberPath } from "../core/records/member-path.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { MIN_SECRET_NUMBER, cacheAnswers, type NameTest } from "./values/names.ts";
import { maskPlaceholders, type ValuePath } from "./placeholders.ts";

export interface SecretCandidate {
  readonly value: string | number;
  readonly path: ValuePath;
  /** Nearest first: in `{ name: "token", value }`, `token` comes before `value`. */
  readonly names: readonly string[];
  readonly isSuspicious: boolean;
  readonly isNamed: boolean;
}

/** Most values are no candidates, so only candidates get copies of path and names. */
export function createCandidateSearch(
  judgeName: NameTest,
  mayHoldSecret: (text: string) => boolean,
): (body: JsonObject) => SecretCandidate[] {
  // In `{ name, value }`, the text of `name` is a name for `value`.
  const holdsValue = cacheAnswers((member) => VALUE_MEMBER.test(member));
  return (body) => {
    const candidates: SecretCandidate[] = [];
    const path: (string | number)[] = [];
    const names: string[] = [];
    const visit = (value: JsonValue | undefined, isNamed: boolean): void => {
      if (typeof value === "string" || typeof value === "number") {
        const isSuspicious = typeof value === "string" && mayHoldSecret(value);
        const isCount = typeof value === "number" && value < MIN_SECRET_NUMBER;
        if (isSuspicious || (isNamed && !isCount))
          candidates.push({ value, path: [...path], names: names.toReversed(), isSuspicious, isNamed });
      } else if (isJsonArray(value)) {
        for (const [index, item] of value.entries()) visitAt(index, item, nameBefore(value, index, path), isNamed);
      } else if (isJsonObject(value)) {
        for (const [member, content] of Object.entries(value)) {
          const namesOfMember = holdsValue(member) ? [member, ...namesBeside(value, member)] : [member];
          visitAt(member, content, namesOfMember, isNamed);
        }
      }
    };
    const visitAt = (
      token: string | number,
      value: JsonValue | undefined,
      ownNames: readonly string[],
      isNamed: boolean,
    ): void => {
      path.push(token);
      // A spread fails if a hostile record has more names than a call can have arguments.
      for (const name of ownNames) names.push(name);
      visit(value, isNamed || ownNames.some((name) => judgeName(name) !== undefined));
      path.pop();
      names.length -= ownNames.length;
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

function namesBeside(value: JsonObject, valueMember: string): string[] {
  const names = Object.entries(value).flatMap(([member, name]) =>
    member !== valueMember && typeof name === "string" && mayDescribeNeighbours(member) ? [maskPlaceholders(name)] : [],
  );
  return names.toReversed();
}

/** Handles `[["password", "…"]]` and `["--password", "…"]`. */
function nameBefore(list: readonly JsonValue[], index: number, path: ValuePath): string[] {
  const previousItem = index > 0 ? list[index - 1] : undefined;
  if (typeof previousItem !== "string" || typeof list[index] !== "string") return [];
  if (list.length === 2 && typeof path.at(-1) === "number") return [maskPlaceholders(previousItem)];
  return /^--?[a-z][a-z-]{1,40}$/i.test(previousItem) ? [previousItem.replace(/^-+/, "")] : [];
}

/** The two forms of ids (docs/api.md#identity). */
const ID_PATTERN = /^(?:[\da-f]{24}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i;

const idPaths = new Map<ResourceKind, ReadonlySet<MemberPath>>();

export function isRecordId(kind: ResourceKind, { path, value }: SecretCandidate): boolean {
  const places = getOrMake(idPaths, kind, () => {
    const { children, references, idsLearnedFrom } = kind;
    const ofChildren = children.map(({ member }) => `${member}[].id`);
    return new Set(["id", ...ofChildren, ...[...references, ...idsLearnedFrom].map((place) => place.path)]);
  });
  if (typeof value !== "string" || !places.has(memberPathOf(path.map(String)))) return false;
  return path.length === 1 ? path[0] === "id" || /^[^\s=;@/]{1,100}$/.test(value) : ID_PATTERN.test(value);
}
