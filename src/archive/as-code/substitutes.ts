import { isJsonArray, isJsonObject, objectsIn, type JsonObject } from "../../core/json.ts";
import type { Variant } from "../../core/records/record.ts";
import type { ChildIds, ResourceKind } from "../../core/resource-kind.ts";

/**
 * The member of a child in a file that tells that the API showed this child in place of one that it cannot show
 * (docs/api.md#hidden-tiles). The stack's own sign does not survive in a file, because a file leaves out members with defaults.
 */
const MARK = "substitute";

/** Marks the substitutes among the children of a stack's record. */
export function markSubstitutes(kind: ResourceKind, body: JsonObject, variant: Variant): JsonObject {
  return mapChildren(kind, body, (child, { isSubstitute }) =>
    isSubstitute?.[variant]?.(child) === true ? { ...child, [MARK]: true } : child,
  );
}

/** Removes the marks, which are no members of a record. */
export function withoutMarks(kind: ResourceKind, code: JsonObject): JsonObject {
  return mapChildren(kind, code, ({ [MARK]: _mark, ...child }) => child);
}

/** Lists the ids of the marked children. */
export function markedIds(kind: ResourceKind, code: JsonObject): string[] {
  const children = kind.children.filter(({ isSubstitute }) => isSubstitute !== undefined);
  return children
    .flatMap(({ member }) => objectsIn(code[member]))
    .flatMap(({ id, [MARK]: mark }) => (mark === true && typeof id === "string" ? [id] : []));
}

function mapChildren(
  { children }: ResourceKind,
  body: JsonObject,
  change: (child: JsonObject, children: ChildIds) => JsonObject,
): JsonObject {
  return children
    .filter(({ isSubstitute }) => isSubstitute !== undefined)
    .reduce((changed, ofMember): JsonObject => {
      const items = changed[ofMember.member];
      if (!isJsonArray(items)) return changed;
      return {
        ...changed,
        [ofMember.member]: items.map((item) => (isJsonObject(item) ? change(item, ofMember) : item)),
      };
    }, body);
}
