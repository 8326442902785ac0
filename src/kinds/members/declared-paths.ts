import type { JsonObject } from "../../core/json.ts";
import type { Place } from "../../core/records/member-path.ts";
import { valueAt } from "../../core/records/member-path.ts";
import type { PathCondition, ResourceKind } from "../../core/resource-kind.ts";

/** Tells whether a declared path applies here: the same member can have another meaning elsewhere. */
export function isDeclaredAt(
  { when }: { readonly when?: PathCondition },
  body: JsonObject,
  indices: readonly number[],
): boolean {
  if (when === undefined) return true;
  const deciding = valueAt(body, when.path, indices);
  return "is" in when ? deciding === when.is : deciding !== when.not;
}

/** Tells whether a member with this value means more than an absent one. */
export function saysMore(kind: ResourceKind, { tokens, value }: Pick<Place, "tokens" | "value">): boolean {
  return Object.keys(kind.comparable({ [tokens.at(-1) ?? ""]: value })).length > 0;
}
