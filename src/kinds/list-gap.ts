import type { ListGap } from "../core/ports.ts";
import { pluralize } from "../core/text/plural.ts";
import type { ResourceKind } from "../core/resource-kind.ts";

/** Ids of hidden records named in the message. */
const MAX_NAMED = 10;

/** Describes a gap in a stack's list, for people. */
export function gapText({ name, singular }: ResourceKind, { hidden, ids, isChanging }: ListGap): string {
  const named =
    ids.length === 0 ? "" : ` (${ids.slice(0, MAX_NAMED).join(", ")}${ids.length > MAX_NAMED ? ", …" : ""})`;
  const counts = `the stack counts ${pluralize(hidden, singular)} more than its list of ${name} shows${named}`;
  if (!isChanging) return counts;
  const changes = `${name} were deleted each time while their list was read, so that others may have been passed over`;
  return hidden === 0 ? changes : `${changes}, and ${counts}`;
}
