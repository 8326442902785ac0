import { recordKey, type KindName, type RecordKey, type StackRecord } from "../../core/records/record.ts";
import type { IdSpace, ResourceKind } from "../../core/resource-kind.ts";
import { findKind } from "../../kinds/registry.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";

/** Returns the plain name of a record, which need not be unique within its kind. */
export function plainName({ kind, body }: { readonly kind: KindName; readonly body: JsonObject }): string {
  const found = findKind(kind);
  const namedBy = found?.code.namedBy;
  if (namedBy === undefined) return found?.nameOf(body) ?? "";
  return namedBy.map((member) => (typeof body[member] === "string" ? body[member] : "")).join("/");
}

/** Returns the value by which a file references a child: `{ id }` for an unknown child, undefined if `owner` is undefined. */
export function childReference(
  space: IdSpace,
  id: string,
  owner: string | undefined,
  byKey: ReadonlyMap<RecordKey, StackRecord>,
): JsonValue | undefined {
  if (owner === undefined) return undefined;
  const holder = byKey.get(recordKey(space.split("/")[0] ?? "", owner));
  return (holder && childName(space, holder.body, id)) ?? { id };
}

/** Sorts the children of a body, such as a dashboard's tiles, in reading order. Children at the same position keep their order. */
export function arrangeChildren(kind: ResourceKind, body: JsonObject): JsonObject {
  const { sorted } = kind.code;
  const children = sorted && body[sorted.member];
  if (sorted === undefined || !isJsonArray(children)) return body;
  return { ...body, [sorted.member]: readingOrder(kind, body).map((index) => children[index] ?? null) };
}

export function readingOrder({ code: { sorted } }: ResourceKind, body: JsonObject): readonly number[] {
  const children = sorted && body[sorted.member];
  if (sorted === undefined || !isJsonArray(children)) return [];
  const places = children.map((child) =>
    sorted.by.map((member) => (isJsonObject(child) ? Number(child[member] ?? 0) : 0)),
  );
  const compare = (left: number, right: number): number => {
    const [leftPlaces = [], rightPlaces = []] = [places[left], places[right]];
    return leftPlaces.map((place, at) => place - (rightPlaces[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
  };
  return children.map((_, index) => index).toSorted(compare);
}

/** Lists the children of a record that belong to an id space, in the order of the body. */
export function listChildren(space: IdSpace, body: JsonObject): readonly { id: string; name: string }[] {
  const children = findKind(space.split("/")[0] ?? "")?.children.find((candidate) => candidate.space === space);
  const items = children && body[children.member];
  return (children !== undefined && isJsonArray(items) ? items : []).map((item) => {
    const child = isJsonObject(item) ? item : {};
    return { id: typeof child["id"] === "string" ? child["id"] : "", name: children?.nameOf(child) ?? "" };
  });
}

/** Returns a child's name in a file, or its position (from 1) if the name is empty or not unique; undefined if unknown. */
export function childName(space: IdSpace, body: JsonObject, id: string): string | number | undefined {
  const kind = findKind(space.split("/")[0] ?? "");
  const children = listChildren(space, kind === undefined ? body : arrangeChildren(kind, body));
  const position = children.findIndex((child) => child.id === id);
  const name = children[position]?.name ?? "";
  if (position < 0) return undefined;
  const isOnly = name.trim() !== "" && children.filter((child) => child.name === name).length === 1;
  return isOnly ? name : position + 1;
}
