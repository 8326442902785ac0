import { createHash } from "node:crypto";
import type { KnownIds, IdMapping } from "../core/plan/id-map.ts";
import { IdMap, childId } from "../core/plan/id-map.ts";
import type { JsonObject, JsonValue } from "../core/json.ts";
import { isJsonArray, isJsonObject, mapMembers } from "../core/json.ts";
import { placesAt, withValueAt, withoutPath } from "../core/records/member-path.ts";
import type { RecordKey, StackRecord } from "../core/records/record.ts";
import type { ChildIds, ResourceKind } from "../core/resource-kind.ts";
import type { NamingOptions } from "../matching/plan-options.ts";
import { applyNaming } from "../matching/plan-options.ts";
import { fitBody } from "../kinds/limits.ts";
import { childIdOf, childrenOf } from "../references/children.ts";
import type { Reference } from "../references/references.ts";
import { findReferences, rewriteReferences } from "../references/references.ts";
import type { Plan, TakenParts, PlanItem } from "../core/plan/plan.ts";
import { foldIds } from "../references/known-ids.ts";

export interface Translation {
  readonly ids: IdMap;
  readonly knownIds: KnownIds;
  readonly naming: NamingOptions;
  /** Whether to convert bodies that the API refuses into a form that the API accepts. */
  readonly fitLimits?: boolean;
  /** Current time in milliseconds, for limits that depend on the time. */
  readonly now?: number;
}

/** The options that change the written bodies. */
export type WriteOptions = Omit<Translation, "ids" | "knownIds">;

/** Makes the translation for a plan's writes, with ids to which the written records can be added. */
export function translationOf({ ids, knownIds }: Plan, { naming, fitLimits, now }: WriteOptions): Translation {
  return { ids: new IdMap(ids), knownIds, naming, fitLimits, now };
}

/**
 * Builds the body of a create.
 * @param later records to which a later update adds the links
 * @param leftOut pointers of links to records that the target lacks
 */
export function createBody(
  kind: ResourceKind,
  record: StackRecord,
  translation: Translation,
  later: readonly RecordKey[],
  leftOut?: readonly string[],
): JsonObject {
  const references = findReferences(kind, record.body, translation.knownIds);
  const postponed = references.filter(({ record: to, deferPath }) => deferPath && to && later.includes(to));
  const body = bodyToWrite(kind, record, references, translation, leftOut);
  const reduced = postponed.reduce((copy, { deferPath = [] }) => withValueAt(copy, deferPath, undefined), body);
  return createForm(kind, reduced);
}

/** Removes the members that a create must not have. */
export function createForm(kind: ResourceKind, body: JsonObject): JsonObject {
  return withoutNulls(kind.refusedOnCreate.reduce(withoutPath, body));
}

/** Builds the body of an update: children carry the target's own ids, and members that the record lacks are cleared explicitly. */
export function updateBody(
  kind: ResourceKind,
  record: StackRecord,
  translation: Translation,
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
  { ids, knownIds, naming, fitLimits = false, now }: Translation,
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
function withoutInnerNulls(body: JsonObject): JsonObject {
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
  const id = ids.get(children.space, childId(ownerId, childIdOf(child)));
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

/** The members of a plan item on which the body of an update depends. */
export type UpdateOf = Pick<PlanItem, "replaces" | "parts" | "leftOut">;

/**
 * Builds the body of an update. If the update takes only parts of the archive's record, the rest comes from the target's record.
 * Before the write, the target's record is checked for changes since it was read (`changed-since`).
 */
export function bodyOfUpdate(
  kind: ResourceKind,
  record: StackRecord,
  translation: Translation,
  targetId: string,
  update: UpdateOf,
): JsonObject {
  const body = unfittedBodyOfUpdate(kind, record, translation, targetId, update);
  const { fitLimits = false, now } = translation;
  return update.parts !== undefined && fitLimits ? fitBody(kind, body, now) : body;
}

/** Builds the body of an update, but leaves the target's own parts in a form that the API may refuse. */
export function unfittedBodyOfUpdate(
  kind: ResourceKind,
  record: StackRecord,
  translation: Translation,
  targetId: string,
  { replaces, parts, leftOut }: UpdateOf,
): JsonObject {
  const taken = updateBody(kind, partialRecord(kind, record, parts), translation, targetId, leftOut);
  return parts === undefined || replaces === undefined ? taken : composeBody(kind, replaces.body, taken, parts);
}

/**
 * Reduces an archived record to the parts that an update takes, so that the others cause no look-up, question or warning. Null in
 * place of the other children keeps the positions.
 */
export function partialRecord(kind: ResourceKind, record: StackRecord, parts: TakenParts | undefined): StackRecord {
  if (parts === undefined) return record;
  const children = kind.children.map(({ member }): [string, JsonValue] => {
    const list = record.body[member];
    const positions = new Set(parts.taken[member]);
    return [member, isJsonArray(list) ? list.map((child, at) => (positions.has(at) ? child : null)) : []];
  });
  const nameMember = kind.nameFields.name === undefined ? [] : [kind.nameFields.name];
  const members = ["id", ...nameMember, ...(parts.members ?? [])].map((member): [string, JsonValue | undefined] => [
    member,
    record.body[member],
  ]);
  return { ...record, body: Object.fromEntries([...members, ...children]) };
}

/** Puts the taken parts into the target's record. A taken child replaces the child with the same id, or is added at the end. */
function composeBody(
  kind: ResourceKind,
  target: JsonObject,
  taken: JsonObject,
  { members = [], removed = {} }: TakenParts,
): JsonObject {
  const accepted = { ...kind.clearOnUpdate, ...withoutInnerNulls(acceptedBody(kind, target)) };
  const body = members.reduce((composed, member) => withValueAt(composed, [member], taken[member]), accepted);
  const children = kind.children.map((childKind): [string, JsonValue] => {
    const isRemoved = (position: number): boolean => removed[childKind.member]?.includes(position) === true;
    const before = childrenOf(body, childKind).filter((_, position) => !isRemoved(position));
    const present = new Set(before.map(idKeyOf).filter((id) => id !== ""));
    const chosen = childrenOf(taken, childKind);
    const isPresent = (child: JsonObject): boolean => present.has(idKeyOf(child));
    const replacing = new Map(chosen.filter(isPresent).map((child) => [idKeyOf(child), child]));
    const remaining = before.map((child) => replacing.get(idKeyOf(child)) ?? child);
    const all = [...remaining, ...chosen.filter((child) => !isPresent(child))];
    return [childKind.member, all.map((child) => childKind.fitInto?.(child, body) ?? child)];
  });
  return { ...body, ...Object.fromEntries(children) };
}

function idKeyOf(child: JsonObject): string {
  return foldIds(childIdOf(child));
}

/** Maps the ids of taken children that are new, the last ones in the answer; undefined if it has more or fewer than were sent. */
export function idsOfTaken(
  kind: ResourceKind,
  record: StackRecord,
  { taken }: TakenParts,
  { ids, sent, stored }: { readonly ids: IdMap; readonly sent: JsonObject; readonly stored: JsonObject },
): IdMapping[] | undefined {
  const mapped = kind.children.map((childKind) => {
    const { member, space } = childKind;
    const children = childrenOf(stored, childKind);
    if (children.length !== childrenOf(sent, childKind).length) return undefined;
    const sources = (taken[member] ?? []).map((at) => childId(record.id, childIdAt(record.body, childKind, at)));
    const added = sources.filter((from) => ids.get(space, from) === undefined);
    return children.slice(children.length - added.length).map((child, at) => {
      return { space, from: added[at] ?? "", to: childIdOf(child) };
    });
  });
  return mapped.includes(undefined) ? undefined : mapped.flatMap((mappings) => mappings ?? []);
}

function childIdAt(body: JsonObject, { member }: ChildIds, at: number): string {
  const list = body[member];
  const child = isJsonArray(list) ? list[at] : undefined;
  return child !== undefined && isJsonObject(child) ? childIdOf(child) : "";
}

/** Lists the keys that the taken and removed parts have in content digests, such as `tags` or `tiles/65a…`. */
export function takenKeys(
  kind: ResourceKind,
  record: StackRecord,
  { taken, removed = {}, members = [] }: TakenParts,
  { ids, replaced }: { readonly ids: IdMap; readonly replaced: JsonObject },
): string[] {
  const removedKeys = kind.children.flatMap((childKind) =>
    (removed[childKind.member] ?? []).map((at) => `${childKind.member}/${foldIds(childIdAt(replaced, childKind, at))}`),
  );
  const takenChildren = kind.children.flatMap((childKind) =>
    (taken[childKind.member] ?? []).flatMap((at) => {
      const id = ids.get(childKind.space, childId(record.id, childIdAt(record.body, childKind, at)));
      return id === undefined ? [] : [`${childKind.member}/${foldIds(id)}`];
    }),
  );
  return [...members, ...takenChildren, ...removedKeys];
}
