import type { JsonObject } from "../../core/json.ts";
import { valueAt } from "../../core/records/member-path.ts";
import type { PathCondition } from "../../core/resource-kind.ts";

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
