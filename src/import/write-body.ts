import { createHash } from "node:crypto";
import { IdMap, qualifiedChildId, type KnownIds } from "../core/plan/id-map.ts";
import { isJsonArray, isJsonObject, mapMembers, type JsonObject, type JsonValue } from "../core/json.ts";
import { placesAt, withValueAt, withoutPath } from "../core/records/member-path.ts";
import type { RecordKey, StackRecord } from "../core/records/record.ts";
import type { ChildIds, ResourceKind } from "../core/resource-kind.ts";
import { applyNaming, type PlanOptions } from "../matching/plan-options.ts";
import { fitBody } from "../kinds/limits.ts";
import { childIdOf, childrenOf } from "../references/children.ts";
import { findReferences, rewriteReferences, type Reference } from "../references/references.ts";
import { foldIds } from "../references/known-ids.ts";
import type { Plan, PlanItem, TakenParts } from "../core/plan/plan.ts";

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

/** The members of a plan item on which its body depends. */
export interface BodyScope extends Pick<PlanItem, "replaces" | "parts" | "leftOut"> {
  /** The record's id on the target; absent for a create. */
  readonly targetId?: string | undefined;
  /** Records to which a later write adds the links. */
  readonly later?: readonly RecordKey[];
}

/** A record of the archive in the words of the target. */
export interface WriteBody {
  /** Everything that the record asks for, but for the links that a later write adds: it is what a journal remembers. */
  readonly desired: JsonObject;
  readonly sent: JsonObject;
}

/**
 * Builds the body of a write. In an update, children carry the target's own ids, and members that the record lacks are cleared
 * explicitly. If the update takes only parts of the record, the rest comes from the target's record: right before the write, that
 * record is checked for changes since it was read (`changed-since`).
 */
export function buildBody(
  kind: ResourceKind,
  record: StackRecord,
  translation: RecordTranslation,
  { targetId, replaces, parts, leftOut = [], later = [] }: BodyScope,
): WriteBody {
  const references = findReferences(kind, record.body, translation.knownIds);
  const isLater = ({ deferPath, record: to }: Reference): boolean =>
    deferPath !== undefined && to !== undefined && later.includes(to);
  const desired = withoutLinks(translated(kind, record, references, translation), references.filter(isLater));
  const written = withoutLinks(
    desired,
    references.filter(({ pointer }) => leftOut.includes(pointer)),
  );
  if (targetId === undefined) return { desired, sent: toCreateForm(kind, written) };
  const update = toUpdateForm(kind, record, written, targetId, translation.ids);
  const sent = parts === undefined || replaces === undefined ? update : takeParts(kind, replaces.body, update, parts);
  return { desired, sent: withoutRepeatedIds(kind, parts === undefined ? sent : fitted(kind, sent, translation)) };
}

/** Returns everything that a record asks for, in the words of the target: also that it lacks members which an update clears. */
export function desiredBody(kind: ResourceKind, record: StackRecord, translation: RecordTranslation): JsonObject {
  const references = findReferences(kind, record.body, translation.knownIds);
  return { ...kind.clearOnUpdate, ...translated(kind, record, references, translation) };
}

function translated(
  kind: ResourceKind,
  record: StackRecord,
  references: readonly Reference[],
  translation: RecordTranslation,
): JsonObject {
  const { ids, knownIds, naming } = translation;
  const rewritten = rewriteReferences(record.body, references, ids, knownIds);
  return withoutInnerNulls(fitted(kind, acceptedBody(kind, applyNaming(kind, rewritten, naming)), translation));
}

function fitted(kind: ResourceKind, body: JsonObject, { fitLimits = false, now }: RecordTranslation): JsonObject {
  return fitLimits ? fitBody(kind, body, now) : body;
}

function withoutLinks(body: JsonObject, links: readonly Reference[]): JsonObject {
  return links.reduce((copy, { deferPath = [] }) => withValueAt(copy, deferPath, undefined), body);
}

/** Removes the members that a create must not have. */
function toCreateForm(kind: ResourceKind, body: JsonObject): JsonObject {
  return withoutNulls(kind.refusedOnCreate.reduce(withoutPath, body));
}

function toUpdateForm(
  kind: ResourceKind,
  record: StackRecord,
  body: JsonObject,
  targetId: string,
  ids: IdMap,
): JsonObject {
  const children = kind.children.flatMap((children): [string, JsonValue][] => {
    const value = body[children.member];
    if (!isJsonArray(value)) return [];
    return [[children.member, value.map((child) => withTargetId(child, children, record.id, targetId, ids))]];
  });
  return { ...kind.clearOnUpdate, ...body, ...Object.fromEntries(children) };
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
function acceptedBody(kind: ResourceKind, body: JsonObject): JsonObject {
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
function withDistinctItems({ distinctItems = {} }: ResourceKind, body: JsonObject): JsonObject {
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

/**
 * Leaves out each later id of children that have the same one. A stack may have such children, but refuses an update that sends
 * their id twice (docs/api.md#dashboards).
 */
function withoutRepeatedIds(kind: ResourceKind, body: JsonObject): JsonObject {
  return kind.children.reduce((reduced, childKind) => {
    const children = childrenOf(reduced, childKind);
    const first = new Map(children.toReversed().map((child) => [idKeyOf(child), child]));
    if (childKind.idOnUpdate === "required" || first.size === children.length) return reduced;
    const distinct = children.map((child) =>
      first.get(idKeyOf(child)) === child ? child : withValueAt(child, ["id"], undefined),
    );
    return { ...reduced, [childKind.member]: distinct };
  }, body);
}

/** Puts the taken parts into the target's record. A taken child replaces the child with the same id, or is added at the end. */
function takeParts(
  kind: ResourceKind,
  target: JsonObject,
  taken: JsonObject,
  { members = [], taken: positions, removed = {} }: TakenParts,
): JsonObject {
  const accepted = { ...kind.clearOnUpdate, ...withoutInnerNulls(acceptedBody(kind, target)) };
  const body = members.reduce((composed, member) => withValueAt(composed, [member], taken[member]), accepted);
  const children = kind.children.map((childKind): [string, JsonValue] => {
    const isRemoved = (position: number): boolean => removed[childKind.member]?.includes(position) === true;
    const before = childrenOf(body, childKind).filter((_, position) => !isRemoved(position));
    const present = new Set(before.map(idKeyOf).filter((id) => id !== ""));
    const chosen = childrenAt(taken, childKind, positions[childKind.member]);
    const isPresent = (child: JsonObject): boolean => present.has(idKeyOf(child));
    const replacing = new Map(chosen.filter(isPresent).map((child) => [idKeyOf(child), child]));
    const remaining = before.map((child) => {
      const replacement = replacing.get(idKeyOf(child));
      // If several children have one id, the id means the first of them.
      replacing.delete(idKeyOf(child));
      return replacement ?? child;
    });
    const all = [...remaining, ...chosen.filter((child) => !isPresent(child))];
    return [childKind.member, all.map((child) => childKind.fitInto?.(child, body) ?? child)];
  });
  return { ...body, ...Object.fromEntries(children) };
}

/** Returns the children at these positions. */
function childrenAt(body: JsonObject, { member }: ChildIds, positions: readonly number[] = []): JsonObject[] {
  const list = body[member];
  return isJsonArray(list) ? list.filter((child, at) => positions.includes(at)).filter(isJsonObject) : [];
}

function idKeyOf(child: JsonObject): string {
  return foldIds(childIdOf(child));
}
