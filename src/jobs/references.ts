import type { IdMap, KnownIds } from "../domain/id-map.ts";
import { isJsonObject, mapStrings, visitStrings } from "../domain/json.ts";
import type { JsonObject } from "../domain/json.ts";
import { placesAt, valueAt, valueAtTokens } from "../domain/member-path.ts";
import type { MemberPath } from "../domain/member-path.ts";
import { formatPointer } from "../domain/pointer.ts";
import type { RecordKey } from "../domain/record.ts";
import type { IdSpace, ReferencePath, ResourceKind } from "../domain/resource-kind.ts";
import { holdsKnownId, knownId, replaceKnownIds } from "./known-ids.ts";

/** A place in a record that names something else of the same stack. */
export interface Reference {
  readonly space: IdSpace;
  /** As `IdMap` keeps it: `owner/part` for parts of records. */
  readonly id: string;
  /** The record that it leads to, for parts the one that holds the part; undefined for what is no record of ours. */
  readonly record: RecordKey | undefined;
  readonly pointer: string;
  readonly tokens: readonly string[];
  /** The server refuses the write when the id is unknown there. */
  readonly checked: boolean;
  /** `whole`: a declared member. `embedded`: a known id found in other text. */
  readonly form: "whole" | "embedded";
  /** Pointer tokens of the member to leave out of a first write, where a cycle can be closed by a second one. */
  readonly leaveOut?: readonly string[];
}

/** All references of a record: the declared ones, and known ids of the source stack inside any other text. */
export function findReferences(kind: ResourceKind, body: JsonObject, known: KnownIds): Reference[] {
  const declared = kind.references.flatMap((path) => declaredReferences(path, body));
  if (known.size === 0) return declared;
  const taken = new Set(declared.map((reference) => reference.pointer));
  for (const path of ignoredPaths(kind))
    for (const place of placesAt(body, path)) taken.add(formatPointer(place.tokens));
  return [...declared, ...embeddedReferences(body, known, taken)];
}

/** A copy of `body` in which every reference that `ids` knows is rewritten; the others stay as they are. */
export function rewriteReferences(
  body: JsonObject,
  references: readonly Reference[],
  ids: IdMap,
  known: KnownIds,
): JsonObject {
  const whole = new Map<string, string>();
  const embedded = new Set<string>();
  for (const reference of references) {
    if (reference.form === "embedded") embedded.add(reference.pointer);
    else {
      const target = ids.get(reference.space, reference.id);
      if (target !== undefined) whole.set(reference.pointer, target);
    }
  }
  if (whole.size === 0 && embedded.size === 0) return body;
  const texts = new Set(references.map(({ tokens }) => valueAtTokens(body, tokens)));
  const rewritten = mapStrings(body, (text, path) => {
    if (!texts.has(text)) return text;
    const pointer = formatPointer(path);
    const target = whole.get(pointer);
    if (target !== undefined) return target;
    return embedded.has(pointer) ? replaceKnownIds(text, known, (found) => ids.get(found.space, found.id)) : text;
  });
  return isJsonObject(rewritten) ? rewritten : body;
}

function declaredReferences(path: ReferencePath, body: JsonObject): Reference[] {
  const found: Reference[] = [];
  for (const { value, tokens, indices } of placesAt(body, path.path)) {
    if (typeof value !== "string" || value === "") continue;
    if (path.when && valueAt(body, path.when.path, indices) !== path.when.is) continue;
    const owner = path.within === undefined ? undefined : valueAt(body, path.within, indices);
    const { space, id, record } = knownId(path.to, value, typeof owner === "string" ? owner : undefined);
    const pointer = formatPointer(tokens);
    // Written out: a large archive has millions of these, and every spread copies them once more.
    const reference = { space, id, record, pointer, tokens, checked: path.checked, form: "whole" } as const;
    found.push(path.leaveOut === undefined ? reference : { ...reference, leaveOut: leftOut(path.leaveOut, tokens) });
  }
  return found;
}

/** The member to leave out lies on the way to the reference, so its tokens begin the reference's own. */
function leftOut(leaveOut: MemberPath, tokens: readonly string[]): readonly string[] {
  const depth = leaveOut.split(".").reduce((count, part) => count + (part.endsWith("[]") ? 2 : 1), 0);
  return tokens.slice(0, depth);
}

function embeddedReferences(body: JsonObject, ids: KnownIds, taken: ReadonlySet<string>): Reference[] {
  const found: Reference[] = [];
  visitStrings(body, (text, path) => {
    if (!holdsKnownId(text, ids)) return;
    const tokens = [...path];
    const pointer = formatPointer(tokens);
    if (taken.has(pointer)) return;
    replaceKnownIds(text, ids, (known) => {
      found.push({ ...known, pointer, tokens, checked: false, form: "embedded" });
      return undefined;
    });
  });
  return found;
}

function ignoredPaths(kind: ResourceKind): string[] {
  return [...kind.serverOwned, ...kind.children.map((part) => `${part.member}[].id`)];
}
