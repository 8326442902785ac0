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

export interface ReferenceTarget extends KnownId {
  readonly serverValidated: boolean;
  /** `whole`: a declared reference. `embedded`: a known id in any other text. */
  readonly form: "whole" | "embedded";
  /** True if a second write can set the reference, as in a cycle of records. */
  readonly deferrable: boolean;
  readonly optional: boolean;
}

export interface Reference extends ReferenceTarget {
  readonly pointer: string;
  readonly tokens: readonly string[];
  /** Pointer tokens of the member that a first write omits and a second write adds. */
  readonly deferPath?: readonly string[];
}

/** @param knownIds without them, only declared references are found */
export function findReferences(kind: ResourceKind, body: JsonObject, knownIds: KnownIds = new Map()): Reference[] {
  const declared = kind.references.flatMap((path) => declaredReferences(path, body));
  if (knownIds.size === 0) return declared;
  const embedded: Reference[] = [];
  visitFreeIds(kind, body, declared, (token, pointer, path) => {
    const id = knownIds.get(token);
    if (id) embedded.push({ ...embeddedTarget(id), pointer, tokens: [...path] });
  });
  return [...declared, ...embedded];
}

/** The limit for one record: its ids stay in memory until the plan is made. */
const MAX_MENTIONED = 20_000;

/** `mentioned`: lower-case ids in free text, even if no record has such an id. */
export function surveyReferences(kind: ResourceKind, body: JsonObject) {
  const declared = findReferences(kind, body);
  const mentioned = new Set<string>();
  visitFreeIds(kind, body, declared, (id) => {
    if (mentioned.size < MAX_MENTIONED) mentioned.add(id);
  });
  return { declared, mentioned };
}

export function embeddedTarget(id: KnownId): ReferenceTarget {
  return { ...id, serverValidated: false, form: "embedded", deferrable: true, optional: false };
}

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

export function hostKeysOf(kind: ResourceKind, body: JsonObject): RecordKey[] {
  const { livesOn = [] } = kind;
  if (livesOn.length === 0) return [];
  const hosts = findReferences(kind, body).filter(({ space }) => livesOn.includes(space.split("/")[0] ?? space));
  return [...new Set(hosts.flatMap(({ record }) => record ?? []))];
}
