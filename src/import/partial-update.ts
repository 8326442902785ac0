import { qualifiedChildId, type IdMap, type IdMapping } from "../core/plan/id-map.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { withValueAt } from "../core/records/member-path.ts";
import type { StackRecord } from "../core/records/record.ts";
import type { ChildIds, ResourceKind } from "../core/resource-kind.ts";
import { fitBody } from "../kinds/limits.ts";
import { childIdOf, childrenOf } from "../references/children.ts";
import type { TakenParts, PlanItem } from "../core/plan/plan.ts";
import { foldIds } from "../references/known-ids.ts";
import { acceptedBody, bodyOfWholeUpdate, withoutInnerNulls, type RecordTranslation } from "./write-body.ts";

/** The members of a plan item on which the body of an update depends. */
export type UpdateScope = Pick<PlanItem, "replaces" | "parts" | "leftOut">;

/**
 * Builds the body of an update. If the update takes only parts of the archive's record, the rest comes from the target's record.
 * Before the write, the target's record is checked for changes since it was read (`changed-since`).
 */
export function bodyOfUpdate(
  kind: ResourceKind,
  record: StackRecord,
  translation: RecordTranslation,
  targetId: string,
  update: UpdateScope,
): JsonObject {
  const body = unfittedBodyOfUpdate(kind, record, translation, targetId, update);
  const { fitLimits = false, now } = translation;
  return update.parts !== undefined && fitLimits ? fitBody(kind, body, now) : body;
}

/** Builds the body of an update, but leaves the target's own parts in a form that the API may refuse. */
export function unfittedBodyOfUpdate(
  kind: ResourceKind,
  record: StackRecord,
  translation: RecordTranslation,
  targetId: string,
  { replaces, parts, leftOut }: UpdateScope,
): JsonObject {
  const taken = bodyOfWholeUpdate(kind, partialRecord(kind, record, parts), translation, targetId, leftOut);
  const body = parts === undefined || replaces === undefined ? taken : composeBody(kind, replaces.body, taken, parts);
  return withoutRepeatedIds(kind, body);
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

/**
 * Reduces an archived record to the parts that an update takes, so that the other parts cause no look-up, question or warning. Null
 * takes the place of each other child, so that positions stay valid.
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

function idKeyOf(child: JsonObject): string {
  return foldIds(childIdOf(child));
}

/**
 * Maps the ids of the taken children that are new on the target: they are the last children in the answer. Returns undefined if the
 * answer has more or fewer children than were sent.
 */
export function mapTakenChildren(
  kind: ResourceKind,
  record: StackRecord,
  { taken }: TakenParts,
  { ids, sent, stored }: { readonly ids: IdMap; readonly sent: JsonObject; readonly stored: JsonObject },
): IdMapping[] | undefined {
  const mapped = kind.children.map((childKind) => {
    const { member, space } = childKind;
    const children = childrenOf(stored, childKind);
    if (children.length !== childrenOf(sent, childKind).length) return undefined;
    const sources = (taken[member] ?? []).map((at) =>
      qualifiedChildId(record.id, childIdAt(record.body, childKind, at)),
    );
    const added = sources.filter((from) => ids.get(space, from) === undefined);
    return children.slice(children.length - added.length).map((child, at) => {
      return { space, from: added[at] ?? "", to: childIdOf(child) };
    });
  });
  return mapped.includes(undefined) ? undefined : mapped.flatMap((mappings) => mappings ?? []);
}

function childIdAt(body: JsonObject, { member }: ChildIds, position: number): string {
  const list = body[member];
  const child = isJsonArray(list) ? list[position] : undefined;
  return child !== undefined && isJsonObject(child) ? childIdOf(child) : "";
}
