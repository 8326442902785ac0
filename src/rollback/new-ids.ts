import type { IdMap } from "../core/importing/id-map.ts";
import type { JsonObject } from "../core/json.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { mapChildrenByPosition } from "../references/children.ts";

/**
 * Notes the ids of a record that was made again, and of its children: what points to the old ones is to point to these.
 * @param before with its old id
 */
export function learnIds(kind: ResourceKind, before: JsonObject, after: JsonObject, ids: IdMap): void {
  const [from, to] = [before["id"], after["id"]];
  if (typeof from !== "string" || typeof to !== "string") return;
  if (from !== to) ids.set(kind.name, from, to);
  for (const { space, from: old, to: now } of mapChildrenByPosition(kind, before, after) ?? [])
    ids.set(space, old, now);
}
