import type { JsonObject } from "../../core/json.ts";
import type { Place } from "../../core/records/member-path.ts";
import { placesAt, valueAt } from "../../core/records/member-path.ts";
import type { PathCondition, ResourceKind, VariantMember } from "../../core/resource-kind.ts";

/** Whether a path counts in this place: the same member can be different things. */
export function isDeclaredAt(
  { when }: { readonly when?: PathCondition },
  body: JsonObject,
  indices: readonly number[],
): boolean {
  if (when === undefined) return true;
  const deciding = valueAt(body, when.path, indices);
  return "is" in when ? deciding === when.is : deciding !== when.not;
}

/** Where a body has members that stacks of one variant do not know. */
export function variantPlaces(members: readonly VariantMember[] = [], body: JsonObject): Place[] {
  return members.flatMap((member) =>
    placesAt(body, member.path).filter(({ indices }) => isDeclaredAt(member, body, indices)),
  );
}

/** Whether a member with this value means more than none. */
export function saysMore(kind: ResourceKind, { tokens, value }: Place): boolean {
  return Object.keys(kind.comparable({ [tokens.at(-1) ?? ""]: value })).length > 0;
}
