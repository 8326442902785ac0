import type { FindCounterpart, KnownId, KnownIds } from "../core/plan/id-map.ts";
import { isJsonObject, mapStrings, visitStrings, type JsonObject } from "../core/json.ts";
import {
  formatPointer,
  placesAt,
  tokensAt,
  valueAt,
  valueAtTokens,
  visitValues,
  type MemberPath,
} from "../core/records/member-path.ts";
import type { RecordKey } from "../core/records/record.ts";
import type { ReferencePath, ResourceKind } from "../core/resource-kind.ts";
import { isDeclaredAt } from "../kinds/descriptor-parts.ts";
import { childIdPaths } from "./children.ts";
import { idsIn, makeKnownId, replaceKnownIds } from "./known-ids.ts";

/** The record or child of the same stack to which a reference leads. */
export interface ReferenceTarget extends KnownId {
  /** Whether the server refuses a write with an unknown id in this place. */
  readonly serverValidated: boolean;
  /** `whole`: a declared reference. `embedded`: a known id found in a text that is not declared as a reference. */
  readonly form: "whole" | "embedded";
  /** Whether a first write can leave the reference out and a second write add it, to close a cycle. */
  readonly deferrable: boolean;
  /** Whether a write leaves the reference out if the referenced record has no counterpart on the target. */
  readonly optional: boolean;
}

/** A place in a record that references another record, or a child, of the same stack. */
export interface Reference extends ReferenceTarget {
  readonly pointer: string;
  readonly tokens: readonly string[];
  /** The member that a first write can omit and a second write adds, if the reference is in a cycle; as pointer tokens. */
  readonly deferPath?: readonly string[];
}

/** Finds all references of a record: the declared references, and known ids of the source stack in free text. */
export function findReferences(kind: ResourceKind, body: JsonObject, knownIds: KnownIds): Reference[] {
  const declared = kind.references.flatMap((path) => declaredReferences(path, body));
  if (knownIds.size === 0) return declared;
  const embedded: Reference[] = [];
  visitFreeIds(kind, body, declared, (token, pointer, path) => {
    const id = knownIds.get(token);
    if (id) embedded.push({ ...embeddedTarget(id), pointer, tokens: [...path] });
  });
  return [...declared, ...embedded];
}

/** The references of a record, found in one pass over its body. */
export interface RecordReferences {
  readonly declared: readonly ReferenceTarget[];
  /** Ids found in free text, even if no record has such an id; in lower case, in order of appearance. */
  readonly mentioned: ReadonlySet<string>;
}

/** Maximum number of different ids that are kept from the texts of one record: they stay in memory until the plan is made. */
const MAX_MENTIONED = 20_000;

export function surveyReferences(kind: ResourceKind, body: JsonObject): RecordReferences {
  const declared = kind.references.flatMap((path) => declaredReferences(path, body));
  const mentioned = new Set<string>();
  const addMention = (id: string): void => {
    if (mentioned.size < MAX_MENTIONED) mentioned.add(id);
  };
  visitFreeIds(kind, body, declared, addMention);
  return { declared, mentioned };
}

export function embeddedTarget(id: KnownId): ReferenceTarget {
  return { ...id, serverValidated: false, form: "embedded", deferrable: true, optional: false };
}

/** Copies `body` with the ids of its references replaced by their counterparts. An id without a counterpart stays. */
export function rewriteReferences(
  body: JsonObject,
  references: readonly Reference[],
  ids: FindCounterpart,
  knownIds: KnownIds,
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
    return embedded.has(pointer) ? replaceKnownIds(text, knownIds, (found) => ids.get(found.space, found.id)) : text;
  });
  return isJsonObject(rewritten) ? rewritten : body;
}

function declaredReferences(path: ReferencePath, body: JsonObject): Reference[] {
  const found: Reference[] = [];
  visitValues(body, path.path, (value, indices) => {
    if (typeof value !== "string" || value === "" || !isDeclaredAt(path, body, indices)) return;
    const tokens = tokensAt(path.path, indices);
    const owner = path.within === undefined ? undefined : valueAt(body, path.within, indices);
    const { space, id, record } = makeKnownId(path.to, value, typeof owner === "string" ? owner : undefined);
    const pointer = formatPointer(tokens);
    const { serverValidated, optional = false } = path;
    const deferPath = path.deferPath === undefined ? undefined : leftOut(path.deferPath, tokens);
    const deferrable = deferPath !== undefined;
    found.push({
      space,
      id,
      record,
      pointer,
      tokens,
      serverValidated,
      form: "whole",
      deferrable,
      optional,
      deferPath,
    });
  });
  return found;
}

/** Returns the pointer tokens of the member that a first write leaves out: the beginning of the reference's own tokens. */
function leftOut(leaveOut: MemberPath, tokens: readonly string[]): readonly string[] {
  const depth = leaveOut.split(".").reduce((count, segment) => count + (segment.endsWith("[]") ? 2 : 1), 0);
  return tokens.slice(0, depth);
}

function visitFreeIds(
  kind: ResourceKind,
  body: JsonObject,
  declared: readonly Reference[],
  visit: (token: string, pointer: string, path: readonly string[]) => void,
): void {
  const taken = new Set(declared.map(({ pointer }) => pointer));
  const ignored = [...kind.serverOwned, ...childIdPaths(kind)];
  for (const path of ignored) for (const { tokens } of placesAt(body, path)) taken.add(formatPointer(tokens));
  visitStrings(body, (text, path) => {
    const ids = idsIn(text);
    if (ids.length === 0) return;
    const pointer = formatPointer(path);
    if (!taken.has(pointer)) for (const id of ids) visit(id, pointer, path);
  });
}

/** Lists the keys of the records that a record lives on, such as an alert's dashboard. */
export function hostKeysOf(kind: ResourceKind, body: JsonObject): RecordKey[] {
  const { livesOn = [] } = kind;
  if (livesOn.length === 0) return [];
  const references = findReferences(kind, body, new Map());
  const hosts = references.filter(({ space }) => livesOn.includes(space.split("/")[0] ?? space));
  return [...new Set(hosts.flatMap(({ record }) => record ?? []))];
}
