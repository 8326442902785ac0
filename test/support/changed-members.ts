import type { JsonObject } from "../../src/core/json.ts";
import type { MemberChange } from "../../src/core/diff.ts";
import type { ResourceKind } from "../../src/core/resource-kind.ts";
import { differingParts } from "../../src/references/compare.ts";
import { drawChanges } from "../../src/references/member-changes.ts";
import { partsOfTarget } from "../../src/references/parts.ts";

/** Compares two bodies whose children have ids of one stack, and draws the parts that differ. */
export function changedMembers(kind: ResourceKind, left: JsonObject, right: JsonObject): MemberChange[] {
  return drawChanges(kind, differingParts(partsOfTarget(kind, left), partsOfTarget(kind, right)));
}
