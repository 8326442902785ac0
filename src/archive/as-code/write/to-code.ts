import type { JsonObject, JsonValue } from "../../../core/json.ts";
import { isJsonArray, isJsonObject } from "../../../core/json.ts";
import {
  formatPointer,
  memberPathOf,
  placesAt,
  tokensAt,
  valueAt,
  withoutPath,
} from "../../../core/records/member-path.ts";
import type { IdSpace, ResourceKind } from "../../../core/resource-kind.ts";
import { isDeclaredAt } from "../../../kinds/members/declared-members.ts";
import { arrangeChildren } from "../plain-names.ts";
import { referenceMember } from "../reference-members.ts";

/** Turns the ids of a stack into names for files. */
export interface Names {
  /**
   * Returns the reference to a record or child.
   * @param owner for a child: the id of the record that holds it
   */
  readonly refer: (space: IdSpace, id: string, owner: string | undefined) => JsonValue;
  /** Replaces each known id in a text by a mention. */
  readonly mention: (text: string) => string;
}

/**
 * Converts a record's body to the form of a file: names for ids, members in a fixed order, without defaults that the server adds.
 */
export function toCode(kind: ResourceKind, body: JsonObject, names: Names): JsonObject {
  const { simplify = (same) => same } = kind.code;
  const childIds = kind.children.map(({ member }) => `${member}[].id`);
  const bare = [...kind.serverOwned, ...childIds].reduce(withoutPath, arrangeChildren(kind, simplify(body)));
  const { replaced, renamed } = namedReferences(kind, bare, names);
  const nameReferences = (value: JsonValue, tokens: readonly string[]): JsonValue => {
    const pointer = formatPointer(tokens);
    const named = replaced.get(pointer);
    if (named !== undefined) return named;
    if (typeof value === "string") return isName(tokens) ? value : names.mention(value);
    if (isJsonArray(value)) return value.map((item, index) => nameReferences(item, [...tokens, String(index)]));
    return isJsonObject(value) ? buildMembers(value, tokens) : value;
  };
  const buildMembers = (object: JsonObject, tokens: readonly string[]): JsonObject => {
    const members = Object.entries(object).flatMap(([member, inner]) => {
      if (inner === undefined || isLeftOut(kind, [...tokens, member], inner)) return [];
      const path = [...tokens, member];
      return [[renamed.get(formatPointer(path)) ?? member, nameReferences(inner, path)] as const];
    });
    return Object.fromEntries(inOrder(kind.code.order, members));
  };
  return buildMembers(bare, []);
}

/** Tells whether the place is the name of a record or child. References use these names, so they stay unchanged. */
export function isName(tokens: readonly string[]): boolean {
  return tokens.at(-1) === "name" && (tokens.length === 1 || tokens.length === 3);
}

function isLeftOut({ code }: ResourceKind, tokens: readonly string[], value: JsonValue): boolean {
  if (value === null) return true;
  if (tokens.length === 1 && isJsonArray(value) && value.length === 0) return true;
  const path = memberPathOf(tokens);
  return Object.hasOwn(code.defaults, path) && code.defaults[path] === value;
}

/** For a JSON pointer into the body: `replaced` has the reference for the id there, `renamed` the name of the member in files. */
interface NamedReferences {
  readonly replaced: ReadonlyMap<string, JsonValue>;
  readonly renamed: ReadonlyMap<string, string>;
}

function namedReferences(kind: ResourceKind, body: JsonObject, names: Names): NamedReferences {
  const replaced = new Map<string, JsonValue>();
  const renamed = new Map<string, string>();
  for (const path of kind.references) {
    const { holderPath, memberPath, member, written } = referenceMember(path);
    for (const { value, tokens, indices } of placesAt(body, path.path)) {
      if (typeof value !== "string" || value === "" || !isDeclaredAt(path, body, indices)) continue;
      const owner = path.within === undefined ? undefined : valueAt(body, path.within, indices);
      replaced.set(formatPointer(tokens), names.refer(path.to, value, typeof owner === "string" ? owner : undefined));
      const place = tokensAt(memberPath, indices);
      const beside = holderPath === "" ? body : valueAt(body, holderPath, indices);
      // The member keeps its own name if there is already another member with the name for files.
      const isTaken = isJsonObject(beside) && written !== member && Object.hasOwn(beside, written);
      if (!isTaken) renamed.set(formatPointer(place), written);
    }
  }
  return { replaced, renamed };
}

function inOrder(order: readonly string[], members: readonly (readonly [string, JsonValue])[]) {
  const rank = (member: string): number => {
    const at = order.indexOf(member);
    return at < 0 ? order.length : at;
  };
  return members.toSorted(([left], [right]) => rank(left) - rank(right) || (left < right ? -1 : 1));
}
