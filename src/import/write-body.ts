import { createHash } from "node:crypto";
import { getOrMake } from "../core/collections.ts";
import { IdMap, qualifiedChildId, type FindCounterpart, type IdsToCome } from "../core/plan/id-map.ts";
import { isJsonArray, isJsonObject, mapItems, mapMembers, type JsonObject, type JsonValue } from "../core/json.ts";
import {
  itemKey,
  type Plan,
  type PlanItem,
  type PlannedBody,
  type PlannedLink,
  type TakenParts,
} from "../core/plan/plan.ts";
import { placesAt, withValueAt, withoutPath } from "../core/records/member-path.ts";
import type { RecordKey } from "../core/records/record.ts";
import type { ChildIds, ResourceKind } from "../core/resource-kind.ts";
import { knownKind } from "../kinds/registry.ts";
import { fitted, type PlanOptions } from "../matching/plan-options.ts";
import { translatedBody } from "../matching/translated-body.ts";
import type { ArchiveIndex } from "../references/archive-index.ts";
import { childIdOf, childIdPaths, childrenOf } from "../references/children.ts";
import { foldIds } from "../references/known-ids.ts";
import { findReferences } from "../references/references.ts";
import { fillIds, withStandIns } from "./ids-to-come.ts";

export type FormOptions = Pick<PlanOptions, "fitLimits" | "now">;

export interface Bodies {
  readonly of: (key: RecordKey) => PlannedBody;
  /** Thousands of bodies of unchanged records would take memory for nothing. */
  readonly release: (key: RecordKey) => void;
  readonly built: ReadonlyMap<RecordKey, PlannedBody>;
  readonly idsToCome: IdsToCome;
}

export function createBodies(
  { byKey, knownIds }: Pick<ArchiveIndex, "byKey" | "knownIds">,
  { namePrefix }: Pick<PlanOptions, "namePrefix">,
  ids: FindCounterpart,
): Bodies {
  const { counterparts, idsToCome } = withStandIns(ids, byKey);
  const build = (key: RecordKey): PlannedBody => {
    const record = byKey.get(key);
    if (record === undefined) throw new Error(`${key} is not in the archive`);
    const kind = knownKind(record.kind);
    const references = findReferences(kind, record.body, knownIds);
    const links = references.flatMap(({ pointer, deferPath, record: to }) =>
      deferPath === undefined ? [] : [{ pointer, tokens: deferPath, to }],
    );
    const translated = translatedBody(kind, record, { ids: counterparts, knownIds, namePrefix }, references);
    return { desired: withoutInnerNulls(acceptedBody(kind, translated)), links };
  };
  const built = new Map<RecordKey, PlannedBody>();
  return {
    of: (key) => getOrMake(built, key, () => build(key)),
    release: (key) => void built.delete(key),
    built,
    idsToCome,
  };
}

export interface BodyScope extends Pick<
  PlanItem,
  "sourceId" | "action" | "targetId" | "replaces" | "parts" | "leftOut"
> {
  readonly later?: readonly RecordKey[];
}

/** An update clears members that the record lacks. With `parts`, all other parts come from `replaces`. */
export function formOf(
  kind: ResourceKind,
  { desired, links }: PlannedBody,
  scope: BodyScope,
  ids: FindCounterpart,
  options: FormOptions,
): JsonObject {
  const { sourceId, action, targetId, replaces, parts } = scope;
  const written = withoutLinks({ desired: fitted(kind, desired, options), links }, scope);
  if (action === "create" || targetId === undefined) {
    return withoutNulls(childIdPaths(kind).reduce(withoutPath, written));
  }
  const update = toUpdateForm(kind, sourceId, written, targetId, ids);
  if (parts === undefined || replaces === undefined) return withoutRepeatedIds(kind, update);
  return withoutRepeatedIds(kind, fitted(kind, takeParts(kind, replaces.body, update, parts), options));
}

export function withIds({ desired, links }: PlannedBody, ids: FindCounterpart, idsToCome: IdsToCome): PlannedBody {
  return { desired: fillIds(desired, idsToCome, ({ space, id }) => ids.get(space, id)), links };
}

/** An id that is still to come has the archive's id in its place, which people know. */
export function plannedContents({ ids: mappings, bodies, idsToCome }: Plan, options: FormOptions) {
  const ids = new IdMap(mappings);
  return (item: PlanItem): JsonObject => {
    const body = withIds(plannedBody(item, bodies), ids, idsToCome);
    return formOf(knownKind(item.kind), body, item, ids, options);
  };
}

export function withoutLinks(
  { desired, links }: PlannedBody,
  { leftOut = [], later = [] }: Pick<BodyScope, "leftOut" | "later">,
): JsonObject {
  const isLeftOut = ({ pointer, to }: PlannedLink): boolean =>
    leftOut.includes(pointer) || (to !== undefined && later.includes(to));
  return links.reduce((copy, link) => (isLeftOut(link) ? withValueAt(copy, link.tokens, undefined) : copy), desired);
}

export function plannedBody(item: PlanItem, bodies: Plan["bodies"]): PlannedBody {
  const body = bodies.get(itemKey(item));
  if (body === undefined) throw new Error(`the plan has no body for ${item.kind} "${item.name}"`);
  return body;
}

function toUpdateForm(
  kind: ResourceKind,
  sourceId: string,
  body: JsonObject,
  targetId: string,
  ids: FindCounterpart,
): JsonObject {
  const children = kind.children.flatMap((children): [string, JsonValue][] => {
    const value = body[children.member];
    if (!isJsonArray(value)) return [];
    return [[children.member, value.map((child) => withTargetId(child, children, sourceId, targetId, ids))]];
  });
  return { ...kind.clearOnUpdate, ...body, ...Object.fromEntries(children) };
}

/** At the top level, a null in an update clears a member. Deeper down, null and absent mean the same. */
function withoutInnerNulls(body: JsonObject): JsonObject {
  return mapMembers(body, (value) => (value === null ? value : withoutNullsIn(value)));
}

/** A write refuses some members and values of an answer. */
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

/** The server refuses repeated items in these lists. */
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

/** A write refuses null for some members (docs/api.md#dashboard-members). */
function withoutNulls(body: JsonObject): JsonObject {
  return mapMembers(body, (value) => (value === null ? undefined : withoutNullsIn(value)));
}

function withoutNullsIn(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return mapItems(value, withoutNullsIn);
  return isJsonObject(value) ? withoutNulls(value) : value;
}

function withTargetId(
  child: JsonValue,
  children: ChildIds,
  ownerId: string,
  targetId: string,
  ids: FindCounterpart,
): JsonValue {
  if (!isJsonObject(child)) return child;
  const { id: _source, ...rest } = child;
  const id = ids.get(children.space, qualifiedChildId(ownerId, childIdOf(child)));
  if (id !== undefined) return { id, ...rest };
  if (children.idOnUpdate === "minted") return rest;
  return { id: newChildId(`${children.space}/${targetId}/${childIdOf(child)}`, targetId), ...rest };
}

/** The same seed gives the same id, so a repeated run changes nothing. */
function newChildId(seed: string, like: string): string {
  const hex = createHash("sha256").update(seed).digest("hex");
  if (!like.includes("-")) return hex.slice(0, 24);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** A stack can have children with equal ids, but refuses them in an update (docs/api.md#dashboards). */
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
      // If several children have one id, the id means the first child.
      replacing.delete(idKeyOf(child));
      return replacement ?? child;
    });
    const all = [...remaining, ...chosen.filter((child) => !isPresent(child))];
    return [childKind.member, all.map((child) => childKind.fitInto?.(child, body) ?? child)];
  });
  return { ...body, ...Object.fromEntries(children) };
}

function childrenAt(body: JsonObject, { member }: ChildIds, positions: readonly number[] = []): JsonObject[] {
  const list = body[member];
  return isJsonArray(list) ? list.filter((child, at) => positions.includes(at)).filter(isJsonObject) : [];
}

function idKeyOf(child: JsonObject): string {
  return foldIds(childIdOf(child));
}
