import { getOrMake } from "../core/collections.ts";
import { splitKey, type RecordKey } from "../core/records/record.ts";
import type { IdMap, KnownId, KnownIds } from "../core/plan/id-map.ts";
import type { JsonObject } from "../core/json.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { knownKind } from "../kinds/registry.ts";
import { mapChildrenByPosition } from "../references/map-children.ts";
import { childIdOf, childrenOf } from "../references/children.ts";
import { makeKnownId } from "../references/known-ids.ts";
import { findReferences, rewriteReferences } from "../references/references.ts";
import type { RollbackItem } from "./item.ts";

type Identified = JsonObject & { readonly id: string };

/**
 * Stores the new ids of a record that was created again, and of its children, so that references to the old ids can be rewritten.
 * @param before the record with its old id
 * @param after the record with its new id
 */
export function addNewIds(kind: ResourceKind, before: Identified, after: Identified, ids: IdMap): void {
  const learnId = (space: string, old: string, now: string): void => {
    ids.set(space, old, now);
    const mentions = mentionable.get(ids);
    if (mentions !== undefined) noteMention(mentions, space, old);
  };
  learnId(kind.name, before.id, after.id);
  for (const { space, from: old, to: now } of mapChildrenByPosition(kind, before, after) ?? [])
    learnId(space, old, now);
}

/** Rewrites a body to the new ids. @param knownIds ids to replace in texts; an empty map leaves the texts as they are */
export function withNewIds(
  kind: ResourceKind,
  body: JsonObject,
  ids: IdMap,
  knownIds: KnownIds = mentionableIds(ids),
): JsonObject {
  return rewriteReferences(body, findReferences(kind, body, knownIds), ids, knownIds);
}

/**
 * For each id map: the old ids that texts may mention. They are cached, because the map grows with every create and collecting them
 * anew takes too long.
 */
const mentionable = new WeakMap<IdMap, Map<string, KnownId>>();

/** Returns the old ids of records that were created again, as texts mention them (Markdown, messages of alerts). */
export function mentionableIds(ids: IdMap): KnownIds {
  return getOrMake(mentionable, ids, () => {
    const mentions = new Map<string, KnownId>();
    for (const { space, from } of ids) noteMention(mentions, space, from);
    return mentions;
  });
}

/** Returns the ids of records that are still to be created again, as texts mention them. */
export function mentionableIdsOfItems(items: readonly RollbackItem[]): KnownIds {
  const mentions = new Map<string, KnownId>();
  for (const { kind, targetId, previous = {} } of items) {
    noteMention(mentions, kind, targetId);
    for (const children of knownKind(kind).children)
      for (const child of childrenOf(previous, children))
        noteMention(mentions, children.space, `${targetId}/${childIdOf(child)}`);
  }
  return mentions;
}

/** Adds an id that texts may mention. @param id in the form of `IdMap`: `owner/child` for a child */
function noteMention(mentions: Map<string, KnownId>, space: string, id: string): void {
  const [owner, ownId] = id.includes("/") ? splitKey(id) : [undefined, id];
  mentions.set(ownId.toLowerCase(), makeKnownId(space, ownId, owner));
}

/**
 * Tells whether the former content of a record links to records without new ids, or mentions such records.
 * @param mentions the ids of these records
 */
export function linksToUncreated(
  { kind, previous = {} }: RollbackItem,
  uncreatedKeys: ReadonlySet<RecordKey | undefined>,
  mentions: KnownIds,
): boolean {
  return findReferences(knownKind(kind), previous, mentions).some(({ record }) => uncreatedKeys.has(record));
}
