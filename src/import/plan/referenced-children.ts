import type { JsonObject } from "../../core/json.ts";
import type { IdMap } from "../../core/plan/id-map.ts";
import type { Warning } from "../../core/outcome.ts";
import type { RecordKey, StackRecord } from "../../core/records/record.ts";
import type { ChildIds, IdSpace } from "../../core/resource-kind.ts";
import { nounOf } from "../../kinds/names.ts";
import { findKind } from "../../kinds/registry.ts";
import type { Inventory } from "../../matching/inventory.ts";
import type { ArchiveIndex } from "../../references/archive-index.ts";
import { referenceTargetsOf } from "../../references/archive-index.ts";
import { childIdOf, childrenOf } from "../../references/children.ts";
import type { Decision } from "./decide/decision.ts";
import { willWrite } from "./resolve.ts";

/** A child (a tile) that a record lives on. */
export interface PointedTo {
  readonly space: IdSpace;
  readonly children: ChildIds;
  /** The child as the target will hold it. */
  readonly child: JsonObject;
  /** The child as the target holds it now, if it is written. */
  readonly now?: JsonObject;
  /** The record that contains it. */
  readonly owner: RecordKey;
  /** Its name, for messages. */
  readonly called: string;
}

/** The input from which the future form of a child is known. */
export interface ChildBasis {
  readonly archive: ArchiveIndex;
  readonly inventory: Inventory;
  readonly ids: IdMap;
  /** The decisions made so far. */
  readonly decisions: ReadonlyMap<RecordKey, Decision>;
}

/**
 * Finds the children that a record references, as the target will hold them: the archive's children, if their record is written.
 */
export function childrenPointedTo(from: StackRecord, { archive, inventory, ids, decisions }: ChildBasis): PointedTo[] {
  return referenceTargetsOf(archive, from).flatMap(({ space, id, record }): PointedTo[] => {
    const archived = record === undefined ? undefined : archive.byKey.get(record);
    const children = findKind(archived?.kind ?? "")?.children.find((candidate) => candidate.space === space);
    if (record === undefined || archived === undefined || children === undefined) return [];
    const childIn = (owner: StackRecord | undefined, its: string | undefined): JsonObject | undefined =>
      owner && childrenOf(owner.body, children).find((child) => childIdOf(child) === its?.slice(its.indexOf("/") + 1));
    const targetId = ids.get(archived.kind, archived.id);
    const targetRecord = inventory.kinds.get(archived.kind)?.records.find((record) => record.id === targetId);
    const now = childIn(targetRecord, ids.get(space, id));
    const decision = decisions.get(record);
    const isWritten = decision !== undefined && willWrite(decision);
    const child = isWritten || now === undefined ? childIn(archived, id) : now;
    if (child === undefined) return [];
    const called = `the ${nounOf(space)} "${children.nameOf(child)}" of "${archived.name}"`;
    return [{ space, children, child, ...(isWritten && now && { now }), owner: record, called }];
  });
}

/** Makes a warning for a record that is written on a child which loses its dependents at the next update. */
export function warnOfShortLived(decision: Decision, basis: ChildBasis): Warning[] {
  if (!willWrite(decision)) return [];
  const { kind, record } = decision;
  const losing = childrenPointedTo(record, basis).filter(
    ({ children, child }) => children.losesDependents?.(child) === true,
  );
  return losing.map(({ called }) => {
    const message = `the ${kind.singular} "${record.name}" is on ${called}, of a type that cannot have alerts: the server deletes it at the next update of that record`;
    return { code: "short-lived", message };
  });
}
