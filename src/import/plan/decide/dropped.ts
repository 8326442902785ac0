import type { JsonObject } from "../../../core/json.ts";
import { valueAtTokens, withValueAt } from "../../../core/records/member-path.ts";
import type { ResourceKind } from "../../../core/resource-kind.ts";
import { variantPlaces } from "../../../kinds/members/declared-paths.ts";
import { haveSameContent } from "../../../references/record-content.ts";
import type { DecisionBasis } from "./decision-basis.ts";

/**
 * Whether the target has all of a record but what stacks of its variant are not known to keep. Writing that again would lose it
 * again.
 */
export function lacksOnlyDropped(
  kind: ResourceKind,
  wanted: JsonObject,
  stored: JsonObject,
  { from, inventory }: Pick<DecisionBasis, "from" | "inventory">,
): boolean {
  const { variant } = inventory.stack;
  if (from === undefined || from === variant) return false;
  const dropped = variantPlaces(kind.mayDrop?.[variant], wanted).filter(
    ({ tokens }) => valueAtTokens(stored, tokens) === undefined,
  );
  if (dropped.length === 0) return false;
  const kept = dropped.reduce((body, { tokens }) => withValueAt(body, tokens, undefined), wanted);
  return haveSameContent(kind, kept, stored);
}
