import type { IdMap } from "../core/plan/id-map.ts";
import { placesAt } from "../core/records/member-path.ts";
import type { KindName, StackRecord } from "../core/records/record.ts";
import { recordKey } from "../core/records/record.ts";
import type { ResourceKind } from "../core/resource-kind.ts";
import { findKind } from "../kinds/registry.ts";
import type { ArchiveIndex } from "../references/archive-index.ts";
import { foldIds } from "../references/known-ids.ts";
import type { Inventory } from "./inventory.ts";

/** Tells whether the data of two records is certainly in different places: on another host, or in another database or table. */
export type DifferInPlace = (kind: ResourceKind, archived: StackRecord, targetRecord: StackRecord) => boolean;

/**
 * Compares the places of data. A fresh installation has its own connection and sources, so a record of the same name may show
 * other data. Records that the user matched by hand count as one place, whatever their names.
 * @param ids the matches so far
 */
export function comparePlaces(archive: ArchiveIndex, inventory: Inventory, ids: IdMap): DifferInPlace {
  const ofTarget = (kind: KindName, id: string): StackRecord | undefined =>
    inventory.kinds.get(kind)?.records.find((record) => foldIds(record.id) === foldIds(id));
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

function differ({ placeOf }: ResourceKind, left: StackRecord, right: StackRecord): boolean {
  const [leftPlace, rightPlace] = [placeOf?.(left.body), placeOf?.(right.body)];
  return leftPlace !== undefined && rightPlace !== undefined && leftPlace !== rightPlace;
}
