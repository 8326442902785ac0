import { getOrMake } from "../core/collections.ts";
import { objectsIn, type JsonObject } from "../core/json.ts";
import type { MemberPath } from "../core/records/member-path.ts";
import type { StackRecord } from "../core/records/record.ts";
import type { ChildIds, IdSpace, ResourceKind } from "../core/resource-kind.ts";
import { findKind } from "../kinds/registry.ts";

/** Finds the description of the children that an id space is about; undefined if the ids are ids of records. */
export function childrenAt(space: IdSpace): ChildIds | undefined {
  const [kind = ""] = space.split("/");
  return findKind(kind)?.children.find((children) => children.space === space);
}

/** Lists the children (tiles, filters) of a record, without list items that are not objects. */
export function childrenOf(body: JsonObject, { member }: ChildIds): JsonObject[] {
  return objectsIn(body[member]);
}

const childIds = new WeakMap<StackRecord, ReadonlySet<string>>();

export function hasChild(record: StackRecord, children: readonly ChildIds[], id: string): boolean {
  const idsOfAll = (): string[] => children.flatMap((childKind) => childrenOf(record.body, childKind).map(childIdOf));
  return getOrMake(childIds, record, () => new Set(idsOfAll())).has(id);
}

/** The paths of the ids of children. The server makes these ids, so no create sends them. */
export function childIdPaths({ children }: ResourceKind): MemberPath[] {
  return children.map(({ member }) => `${member}[].id`);
}

/** Returns the id of a child; the empty string if the child has none. */
export function childIdOf(child: JsonObject): string {
  return typeof child["id"] === "string" ? child["id"] : "";
}
