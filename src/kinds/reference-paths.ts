import type { JsonObject } from "../core/json.ts";
import { valueAt } from "../core/member-path.ts";
import type { ReferencePath } from "../core/resource-kind.ts";

/** Whether an id in this place means what the path declares: the same member can name things of several kinds. */
export function isDeclaredAt({ when }: ReferencePath, body: JsonObject, indices: readonly number[]): boolean {
  if (when === undefined) return true;
  const deciding = valueAt(body, when.path, indices);
  return "is" in when ? deciding === when.is : deciding !== when.not;
}
