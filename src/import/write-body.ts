import { createHash } from "node:crypto";
import { IdMap, qualifiedChildId, type KnownIds } from "../core/plan/id-map.ts";
import { isJsonArray, isJsonObject, mapMembers, type JsonObject, type JsonValue } from "../core/json.ts";
import { placesAt, withValueAt, withoutPath } from "../core/records/member-path.ts";
import type { RecordKey, StackRecord } from "../core/records/record.ts";
import type { ChildIds, ResourceKind } from "../core/resource-kind.ts";
import { applyNaming, type PlanOptions } from "../matching/plan-options.ts";
import { fitBody } from "../kinds/limits.ts";
import { childIdOf } from "../references/children.ts";
import { findReferences, rewriteReferences, type Reference } from "../references/references.ts";
import type { Plan } from "../core/plan/plan.ts";

/** The options that change the written bodies. */
export type WriteOptions = Pick<PlanOptions, "naming" | "fitLimits" | "now">;

export interface RecordTranslation extends WriteOptions {
  readonly ids: IdMap;
  readonly knownIds: KnownIds;
}

/** Makes the translation for a plan's writes, with ids to which the written records can be added. */
export function translationOf({ ids, knownIds }: Plan, { naming, fitLimits, now }: WriteOptions): RecordTranslation {
  return { ids: new IdMap(ids), knownIds, naming, fitLimits, now };
}

/**
 * Builds the body of a create.
 * @param later records to which a later update adds the links
 * @param leftOut pointers of links to records that the target lacks
 */
export function bodyOfCreate(
  kind: ResourceKind,
  record: StackRecord,
  translation: RecordTranslation,
  later: readonly RecordKey[],
  leftOut?: readonly string[],
): JsonObject {
  const references = findReferences(kind, record.body, translation.knownIds);
  const body = bodyToWrite(kind, record, references, translation, leftOut);
  return toCreateForm(kind, withoutLinks(body, references, later));
}

/** Removes the links that a later update adds. */
function withoutLinks(body: JsonObject, references: readonly Reference[], later: readonly RecordKey[]): JsonObject {
  const postponed = references.filter(({ record: to, deferPath }) => deferPath && to && later.includes(to));
  return postponed.reduce((copy, { deferPath = [] }) => withValueAt(copy, deferPath, undefined), body);
}

/** Builds what the source's record asks for, in full, except the links that a later update adds: it is what a journal remembers. */
export function desiredBody(
  kind: ResourceKind,
  record: StackRecord,
  translation: RecordTranslation,
  targetId: string,
  later: readonly RecordKey[],
): JsonObject {
  const body = bodyOfWholeUpdate(kind, record, translation, targetId);
  return withoutLinks(body, findReferences(kind, record.body, translation.knownIds), later);
}

/** Removes the members that a create must not have. */
function toCreateForm(kind: ResourceKind, body: JsonObject): JsonObject {
  return withoutNulls(kind.refusedOnCreate.reduce(withoutPath, body));
}

/** Builds the body of an update: children carry the target's own ids, and members that the record lacks are cleared explicitly. */
export function bodyOfWholeUpdate(
  kind: ResourceKind,
  record: StackRecord,
  translation: RecordTranslation,
  targetId: string,
  leftOut?: readonly string[],
): JsonObject {
  const references = findReferences(kind, record.body, translation.knownIds);
  const body = bodyToWrite(kind, record, references, translation, leftOut);
  const children = kind.children.flatMap((children): [string, JsonValue][] => {
    const value = body[children.member];
    if (!isJsonArray(value)) return [];
    return [
      [children.member, value.map((child) => withTargetId(child, children, record.id, targetId, translation.ids))],
    ];
  });
  return { ...kind.clearOnUpdate, ...body, ...Object.fromEntries(children) };
}

function bodyToWrite(
  kind: ResourceKind,
  record: StackRecord,
  references: readonly Reference[],
  { ids, knownIds, naming, fitLimits = false, now }: RecordTranslation,
  leftOut: readonly string[] | undefined,
): JsonObject {
  const dead = references.filter(({ pointer }) => leftOut?.includes(pointer));
  const sent = dead.reduce((body, { deferPath = [] }) => withValueAt(body, deferPath, undefined), record.body);
  const rewritten = rewriteReferences(sent, references, ids, knownIds);
  const completed = acceptedBody(kind, applyNaming(kind, rewritten, naming));
  const fitted = fitLimits ? fitBody(kind, completed, now) : completed;
  return withoutInnerNulls(fitted);
}

/**
 * Removes all nulls except those at the top level. At the top level, a null in an update clears a member that would otherwise keep
 * its value. Deeper down, null and absent mean the same.
 */
export function withoutInnerNulls(body: JsonObject): JsonObject {
  return mapMembers(body, (value) => (value === null ? value : withoutNullsIn(value)));
}

/**
 * Turns a body from an answer into one that a write accepts: removes server-owned members and values that mean "none" but are
 * refused, and adds the members that a write requires.
 */
export function acceptedBody(kind: ResourceKind, body: JsonObject): JsonObject {
  const reduced = kind.leaveOutWhen.reduce(
    (reduced, { path, is }) => {
      const refused = placesAt(reduced, path).filter((place) => place.value === is);
      return refused.reduce((copy, place) => withValueAt(copy, place.tokens, undefined), reduced);
    },
    kind.serverOwned.reduce(withoutPath, body),
  );
  const distinct = withDistinctItems(kind, reduced);
  return kind.normalize?.(distinct) ?? distinct;
}

/** Removes repeated items from lists in which the server refuses them. */
export function withDistinctItems({ distinctItems = {} }: ResourceKind, body: JsonObject): JsonObject {
  const lists = Object.entries(distinctItems).flatMap(([member, keyOf]): [string, JsonValue][] => {
    const list = body[member];
    if (!isJsonArray(list)) return [];
    const items = list.filter(isJsonObject);
    const first = new Map(items.toReversed().map((item) => [keyOf(item), item]));
    return first.size === list.length ? [] : [[member, items.filter((item) => first.get(keyOf(item)) === item)]];
  });
  return lists.length === 0 ? body : { ...body, ...Object.fromEntries(lists) };
}

/** Removes all nulls: managed stacks return null where self-hosted stacks omit the member (docs/api.md#managed). */
function withoutNulls(body: JsonObject): JsonObject {
  return mapMembers(body, (value) => (value === null ? undefined : withoutNullsIn(value)));
}

function withoutNullsIn(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(withoutNullsIn);
  return isJsonObject(value) ? withoutNulls(value) : value;
}

function withTargetId(child: JsonValue, children: ChildIds, ownerId: string, targetId: string, ids: IdMap): JsonValue {
  if (!isJsonObject(child)) return child;
  const { id: _source, ...rest } = child;
  const id = ids.get(children.space, qualifiedChildId(ownerId, childIdOf(child)));
  if (id !== undefined) return { id, ...rest };
  if (children.idOnUpdate === "minted") return rest;
  return { id: newChildId(`${children.space}/${targetId}/${childIdOf(child)}`, targetId), ...rest };
}

/** Makes an id in the form of the target's ids. The same seed gives the same id: a repeated run changes nothing. */
function newChildId(seed: string, like: string): string {
  const hex = createHash("sha256").update(seed).digest("hex");
  if (!like.includes("-")) return hex.slice(0, 24);
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}
