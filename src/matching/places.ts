import type { IdMap } from "../core/plan/id-map.ts";
import { placesAt } from "../core/records/member-path.ts";
import { recordKey, type StackRecord } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { findKind } from "../kinds/registry.ts";
import type { ArchiveIndex } from "../references/archive-index.ts";
import { foldIds } from "../references/known-ids.ts";
import { recordFinder, type Inventory } from "./inventory.ts";

/** Tells whether the data of two records is certainly in different places: another host, database or table. */
export type DifferInPlace = (kind: ResourceKind, archived: StackRecord, targetRecord: StackRecord) => boolean;

/**
 * Makes a function that compares where the data of two records is. A fresh installation has a connection and sources of its own, so
 * a record of the same name may show other data. Referenced records (connections) that are already matched count as one place.
 * @param ids the matches so far
 */
export function placeComparer(archive: ArchiveIndex, inventory: Inventory, ids: IdMap): DifferInPlace {
  const ofTarget = recordFinder(inventory);
  return (kind, archived, targetRecord) =>
    differ(kind, archived, targetRecord) ||
    kind.idsLearnedFrom.some(({ path, space }) => {
      const [from, to] = [archived, targetRecord].map(({ body }) => placesAt(body, path)[0]?.value);
      const pointedTo = findKind(space);
      if (typeof from !== "string" || typeof to !== "string" || pointedTo === undefined) return false;
      if (foldIds(ids.get(space, from) ?? "") === foldIds(to)) return false;
      const [left, right] = [archive.byKey.get(recordKey(space, from)), ofTarget(space, to)];
      return left !== undefined && right !== undefined && differ(pointedTo, left, right);
    });
}

function differ({ dataPlaceOf }: ResourceKind, left: StackRecord, right: StackRecord): boolean {
  const [leftPlace, rightPlace] = [dataPlaceOf?.(left.body), dataPlaceOf?.(right.body)];
  return leftPlace !== undefined && rightPlace !== undefined && leftPlace !== rightPlace;
}

export function hasPlace({ dataPlaceOf, idsLearnedFrom }: ResourceKind): boolean {
  return dataPlaceOf !== undefined || idsLearnedFrom.length > 0;
}
