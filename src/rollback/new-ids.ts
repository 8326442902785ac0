import type { IdMap } from "../core/importing/id-map.ts";
import type { JsonObject } from "../core/json.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { mapChildrenByPosition } from "../references/children.ts";
import { findReferences, rewriteReferences } from "../references/references.ts";

type Identified = JsonObject & { readonly id: string };

/**
 * Notes the ids of a record that was made again, and of its children: what points to the old ones is to point to these.
 * @param before with its old id
 */
export function learnIds(kind: ResourceKind, before: Identified, after: Identified, ids: IdMap): void {
  ids.set(kind.name, before.id, after.id);
  for (const { space, from: old, to: now } of mapChildrenByPosition(kind, before, after) ?? [])
    ids.set(space, old, now);
}

/** A body whose links lead to what was made again. */
export function withNewIds(kind: ResourceKind, body: JsonObject, ids: IdMap): JsonObject {
  return rewriteReferences(body, findReferences(kind, body, new Map()), ids, new Map());
}
