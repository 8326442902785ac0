import type { JsonObject, JsonValue } from "../../../core/json.ts";
import { isJsonArray, isJsonObject } from "../../../core/json.ts";
import { formatPointer, placesAt } from "../../../core/records/member-path.ts";
import type { IdSpace, ReferencePath, ResourceKind } from "../../../core/resource-kind.ts";
import { isDeclaredAt } from "../../../kinds/members/declared-members.ts";
import { withoutMentions, referenceMember } from "../reference-members.ts";
import { isName } from "../write/to-code.ts";

/** A reference in a file, in place of an id. */
export interface WrittenReference {
  readonly space: IdSpace;
  readonly value: JsonValue;
  /** Path of the reference in the file. */
  readonly tokens: readonly string[];
  /** For a child: the id of the record that holds it. */
  readonly owner?: string;
}

/** Finds the ids for names in files. A function that finds no id reports the mistake and returns undefined. */
export interface Ids {
  readonly resolve: (reference: WrittenReference) => string | undefined;
  /**
   * Finds the id for a mention.
   * @param label kind and name, such as `dashboards/Checkout latency`
   */
  readonly mentioned: (label: string, tokens: readonly string[]) => string | undefined;
}

/** Converts a file's members to the stack's form and replaces names by ids. Defaults that the server adds are not filled in. */
export function fromCode(kind: ResourceKind, code: JsonObject, ids: Ids): JsonObject {
  const { resolved, renamed } = resolvedReferences(kind, code, ids);
  const build = (value: JsonValue, tokens: readonly string[]): JsonValue => {
    const id = resolved.get(formatPointer(tokens));
    if (id !== undefined) return id;
    if (typeof value === "string" && isName(tokens)) return value;
    if (typeof value === "string") return withoutMentions(value, (label) => ids.mentioned(label, tokens));
    if (isJsonArray(value)) return value.map((item, index) => build(item, [...tokens, String(index)]));
    return isJsonObject(value) ? buildMembers(value, tokens) : value;
  };
  const buildMembers = (object: JsonObject, tokens: readonly string[]): JsonObject => {
    const members = Object.entries(object).flatMap(([member, inner]) => {
      if (inner === undefined) return [];
      const path = [...tokens, member];
      return [[renamed.get(formatPointer(path)) ?? member, build(inner, path)] as const];
    });
    return Object.fromEntries(members);
  };
  return { ...kind.code.required, ...buildMembers(code, []) };
}

/** For a JSON pointer into the file: `resolved` has the id for the name there, `renamed` the name of the member in the API. */
interface ResolvedReferences {
  readonly resolved: Map<string, string>;
  readonly renamed: Map<string, string>;
}

function resolvedReferences(kind: ResourceKind, code: JsonObject, ids: Ids): ResolvedReferences {
  const found: ResolvedReferences = { resolved: new Map(), renamed: new Map() };
  // Owners come first, because a child is looked up in its owner.
  const paths = kind.references.toSorted((left, right) => Number(Boolean(left.within)) - Number(Boolean(right.within)));
  const owners = new Map<string, string>();
  for (const path of paths) {
    for (const { holder, tokens, indices } of holdersOf(path, code)) {
      if (!isDeclaredAt(path, code, indices)) continue;
      const { member, written } = referenceMember(path);
      const name = Object.hasOwn(holder, member) ? member : written;
      const value = holder[name];
      if (value === undefined) continue;
      const place = [...tokens, name];
      found.renamed.set(formatPointer(place), member);
      const owner = owners.get(path.within ?? "");
      for (const [at, item] of itemsOf(path, value, place)) {
        if (item === "" || item === null) continue;
        const id = ids.resolve({ space: path.to, value: item, tokens: at, ...(owner !== undefined && { owner }) });
        if (id === undefined) continue;
        found.resolved.set(formatPointer(at), id);
        owners.set(path.path, id);
      }
    }
  }
  return found;
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
