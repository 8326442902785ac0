import type { JsonObject } from "../../core/json.ts";
import { valueAt, type MemberPlace } from "../../core/records/member-path.ts";
import type { PathCondition, ResourceKind } from "../../core/resource-kind.ts";

/** Tells whether the condition of a declared path holds at this place: the same member can mean something else at another place. */
export function isDeclaredAt(
  { when }: { readonly when?: PathCondition },
  body: JsonObject,
  indices: readonly number[],
): boolean {
  if (when === undefined) return true;
  const deciding = valueAt(body, when.path, indices);
  return "is" in when ? deciding === when.is : deciding !== when.not;
}

/**
 * Tells whether a record with this value means something else than a record without the member. False for defaults, null and empty
 * lists.
 */
export function differsFromAbsent(
  kind: ResourceKind,
  { tokens, value }: Pick<MemberPlace, "tokens" | "value">,
): boolean {
  return Object.keys(kind.comparable({ [tokens.at(-1) ?? ""]: value })).length > 0;
}
