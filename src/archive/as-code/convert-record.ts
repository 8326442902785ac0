import { getOrMake } from "../../core/collections.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import {
  formatPointer,
  type MemberPath,
  memberPathOf,
  placesAt,
  tokensAt,
  valueAt,
  withoutPath,
} from "../../core/records/member-path.ts";
import { ID_PATTERN } from "../../core/records/record.ts";
import type { IdSpace, ResourceKind, ReferencePath } from "../../core/resource-kind.ts";
import { nounOf } from "../../kinds/nouns.ts";
import { isDeclaredAt } from "../../kinds/descriptor-parts.ts";

export interface NameLookup {
  readonly referenceTo: (space: IdSpace, id: string, owner: string | undefined) => JsonValue;
  readonly replaceIds: (text: string) => string;
}

export function toCode(kind: ResourceKind, body: JsonObject, names: NameLookup): JsonObject {
  const { simplify = (same) => same } = kind.code;
  const childIds = kind.children.map(({ member }) => `${member}[].id`);
  const bare = [...kind.serverOwned, ...childIds].reduce(withoutPath, arrangeChildren(kind, simplify(body)));
  return convertMembers(bare, {
    ...namedReferences(kind, bare, names),
    convertText: names.replaceIds,
    isLeftOut: (tokens, value) => isLeftOut(kind, tokens, value),
    arrange: (members) => inOrder(kind.code.order, members),
  });
}

export function arrangeChildren(kind: ResourceKind | undefined, body: JsonObject): JsonObject {
  const member = kind?.code.sorted?.member ?? "";
  const children = body[member];
  if (kind === undefined || !isJsonArray(children)) return body;
  return { ...body, [member]: readingOrder(kind, body).map((index) => children[index] ?? null) };
}

export function readingOrder({ code: { sorted } }: ResourceKind, body: JsonObject): readonly number[] {
  const children = sorted && body[sorted.member];
  if (sorted === undefined || !isJsonArray(children)) return [];
  const places = children.map((child) =>
    sorted.by.map((member) => (isJsonObject(child) ? Number(child[member] ?? 0) : 0)),
  );
  const compare = (left: number, right: number): number => {
    const [leftPlaces = [], rightPlaces = []] = [places[left], places[right]];
    return leftPlaces.map((place, at) => place - (rightPlaces[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
  };
  return children.map((_, index) => index).toSorted(compare);
}

type Members = readonly (readonly [string, JsonValue])[];

interface Conversion {
  /** By JSON pointer. */
  readonly replaced: ReadonlyMap<string, JsonValue>;
  readonly renamed: ReadonlyMap<string, string>;
  readonly convertText: (text: string, tokens: readonly string[]) => string;
  readonly isLeftOut?: (tokens: readonly string[], value: JsonValue) => boolean;
  readonly arrange?: (members: Members) => Members;
}

function convertMembers(
  body: JsonObject,
  { replaced, renamed, convertText, isLeftOut = () => false, arrange = (same) => same }: Conversion,
): JsonObject {
  const convertValue = (value: JsonValue, tokens: readonly string[]): JsonValue => {
    const replacement = replaced.get(formatPointer(tokens));
    if (replacement !== undefined) return replacement;
    if (typeof value === "string") return isName(tokens) ? value : convertText(value, tokens);
    if (isJsonArray(value)) return value.map((item, index) => convertValue(item, [...tokens, String(index)]));
    return isJsonObject(value) ? convertObject(value, tokens) : value;
  };
  const convertObject = (object: JsonObject, tokens: readonly string[]): JsonObject => {
    const members = Object.entries(object).flatMap(([member, value]) => {
      const path = [...tokens, member];
      if (value === undefined || isLeftOut(path, value)) return [];
      return [[renamed.get(formatPointer(path)) ?? member, convertValue(value, path)] as const];
    });
    return Object.fromEntries(arrange(members));
  };
  return convertObject(body, []);
}

/** A name stays unchanged, because references use the name. */
function isName(tokens: readonly string[]): boolean {
  return tokens.at(-1) === "name" && (tokens.length === 1 || tokens.length === 3);
}

function isLeftOut({ code }: ResourceKind, tokens: readonly string[], value: JsonValue): boolean {
  if (value === null) return true;
  if (tokens.length === 1 && isJsonArray(value) && value.length === 0)
    return code.required?.includes(tokens[0] ?? "") !== true;
  const path = memberPathOf(tokens);
  return Object.hasOwn(code.defaults, path) && code.defaults[path] === value;
}

function namedReferences(kind: ResourceKind, body: JsonObject, names: NameLookup) {
  const replaced = new Map<string, JsonValue>();
  const renamed = new Map<string, string>();
  for (const path of kind.references) {
    const { holderPath, memberPath, member, memberInFiles } = referenceMember(path);
    for (const { value, tokens, indices } of placesAt(body, path.path)) {
      if (typeof value !== "string" || value === "" || !isDeclaredAt(path, body, indices)) continue;
      const owner = path.within === undefined ? undefined : valueAt(body, path.within, indices);
      replaced.set(
        formatPointer(tokens),
        names.referenceTo(path.to, value, typeof owner === "string" ? owner : undefined),
      );
      const place = tokensAt(memberPath, indices);
      const beside = holderPath === "" ? body : valueAt(body, holderPath, indices);
      // A member keeps its own name if the name for files is already taken.
      const isTaken = isJsonObject(beside) && memberInFiles !== member && Object.hasOwn(beside, memberInFiles);
      if (!isTaken) renamed.set(formatPointer(place), memberInFiles);
    }
  }
  return { replaced, renamed };
}

function inOrder(order: readonly string[], members: Members): Members {
  const rank = (member: string): number => {
    const index = order.indexOf(member);
    return index < 0 ? order.length : index;
  };
  return members.toSorted(([left], [right]) => rank(left) - rank(right) || (left < right ? -1 : 1));
}

export interface WrittenReference {
  readonly space: IdSpace;
  readonly value: JsonValue;
  readonly tokens: readonly string[];
  readonly owner?: string;
}

/** Each function returns undefined after a reported mistake. */
export interface IdLookup {
  readonly resolve: (reference: WrittenReference) => string | undefined;
  /** @param label kind and name, such as `dashboards/Checkout latency` */
  readonly resolveMention: (label: string, tokens: readonly string[]) => string | undefined;
}

export function fromCode(kind: ResourceKind, code: JsonObject, ids: IdLookup): JsonObject {
  return convertMembers(code, {
    ...resolvedReferences(kind, code, ids),
    convertText: (text, tokens) => replaceMentionsByIds(text, (label) => ids.resolveMention(label, tokens)),
  });
}

function resolvedReferences(kind: ResourceKind, code: JsonObject, ids: IdLookup) {
  const replaced = new Map<string, string>();
  const renamed = new Map<string, string>();
  // Owners come first, because a child is looked up in its owner.
  const paths = kind.references.toSorted((left, right) => Number(Boolean(left.within)) - Number(Boolean(right.within)));
  const owners = new Map<string, string>();
  for (const path of paths) {
    for (const { holder, tokens, indices } of holdersOf(path, code)) {
      if (!isDeclaredAt(path, code, indices)) continue;
      const { member, memberInFiles } = referenceMember(path);
      const name = Object.hasOwn(holder, member) ? member : memberInFiles;
      const value = holder[name];
      if (value === undefined) continue;
      const place = [...tokens, name];
      renamed.set(formatPointer(place), member);
      const owner = owners.get(path.within ?? "");
      for (const [at, item] of itemsOf(path, value, place)) {
        if (item === "" || item === null) continue;
        const id = ids.resolve({ space: path.to, value: item, tokens: at, ...(owner !== undefined && { owner }) });
        if (id === undefined) continue;
        replaced.set(formatPointer(at), id);
        owners.set(path.path, id);
      }
    }
  }
  return { replaced, renamed };
}

function holdersOf(path: ReferencePath, code: JsonObject) {
  const { holderPath } = referenceMember(path);
  const places = holderPath === "" ? [{ value: code, tokens: [], indices: [] }] : placesAt(code, holderPath);
  return places.flatMap(({ value, tokens, indices }) =>
    isJsonObject(value) ? [{ holder: value, tokens, indices }] : [],
  );
}

function itemsOf(
  { path }: ReferencePath,
  value: JsonValue,
  place: readonly string[],
): (readonly [readonly string[], JsonValue])[] {
  if (!path.endsWith("[]")) return [[place, value]];
  return isJsonArray(value) ? value.map((item, index) => [[...place, String(index)], item] as const) : [];
}

interface ReferenceMember {
  readonly holderPath: MemberPath;
  readonly memberPath: MemberPath;
  readonly member: string;
  /** For example, `source` for `sourceId`, because files have names in place of ids. */
  readonly memberInFiles: string;
}

const membersByPath = new Map<ReferencePath, ReferenceMember>();

export function referenceMember(path: ReferencePath): ReferenceMember {
  return getOrMake(membersByPath, path, () => describe(path));
}

function describe({ path, to }: ReferencePath): ReferenceMember {
  const memberPath = path.replace(/\[\]$/, "");
  const lastDot = memberPath.lastIndexOf(".");
  const member = memberPath.slice(lastDot + 1);
  const memberInFiles = member === "id" ? camelCase(nounOf(to)) : member.replace(/Id(s?)$/, "$1");
  return { holderPath: memberPath.slice(0, Math.max(lastDot, 0)), memberPath, member, memberInFiles };
}

function camelCase(noun: string): string {
  return noun.replaceAll(/ ([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

export function isId(value: JsonValue | undefined): value is string {
  return typeof value === "string" && value.replace(ID_PATTERN, "") === "" && value !== "";
}

/** Stands for the id of another record: `${stackferry:dashboards/Checkout latency}`. */
const MENTION = /\$\{stackferry:([^}]*)\}/g;
const OPENING = "${stackferry:";
/** Keeps a stack's own text from being taken for a mention. */
const LITERAL = `${OPENING}=}`;

export function replaceIdsByMentions(text: string, name: (id: string) => string | undefined): string {
  const literal = text.includes(OPENING) ? text.replaceAll(OPENING, LITERAL) : text;
  return literal.replaceAll(ID_PATTERN, (id) => {
    const label = name(id.toLowerCase());
    return label === undefined ? id : `${OPENING}${label.replaceAll(/[%}\p{Cc}\p{Cs}]/gu, encodeURIComponentSafely)}}`;
  });
}

/** Keeps a mention for which `find` returns undefined. @public Tested alone. */
export function replaceMentionsByIds(text: string, find: (label: string) => string | undefined): string {
  if (!text.includes(OPENING)) return text;
  return text.replaceAll(MENTION, (mention, label: string) =>
    label === "=" ? OPENING : (find(decode(label)) ?? mention),
  );
}

function encodeURIComponentSafely(character: string): string {
  return `%${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
}

function decode(label: string): string {
  return label.replaceAll(/%([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
