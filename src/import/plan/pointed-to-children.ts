import type { JsonObject } from "../../core/json.ts";
import type { Warning } from "../../core/outcome.ts";
import type { StackRecord } from "../../core/records/record.ts";
import type { ChildIds, IdSpace } from "../../core/resource-kind.ts";
import { nounOf } from "../../kinds/id-spaces.ts";
import { findKind } from "../../kinds/registry.ts";
import type { ArchiveIndex } from "../../references/archive-index.ts";
import { referenceTargetsOf } from "../../references/archive-index.ts";
import { childIdOf, childrenOf } from "../../references/children.ts";
import type { Decision } from "./decide/decision.ts";
import { willWrite } from "./resolve.ts";

/** A child (a tile) that a record is on. */
export interface PointedTo {
  readonly space: IdSpace;
  readonly children: ChildIds;
  readonly child: JsonObject;
  /** For people. */
  readonly called: string;
}

/** The children of the archive's records that a record points to. */
export function childrenPointedTo(from: StackRecord, archive: ArchiveIndex): PointedTo[] {
  return referenceTargetsOf(archive, from).flatMap(({ space, id, record }): PointedTo[] => {
    const owner = record === undefined ? undefined : archive.byKey.get(record);
    const children = findKind(owner?.kind ?? "")?.children.find((each) => each.space === space);
    if (owner === undefined || children === undefined) return [];
    const child = childrenOf(owner.body, children).find((each) => id.endsWith(`/${childIdOf(each)}`));
    if (child === undefined) return [];
    return [{ space, children, child, called: `the ${nounOf(space)} "${children.nameOf(child)}" of "${owner.name}"` }];
  });
}

/** A warning for a record that is written on a child which loses what points to it at the next update of its record. */
export function warnOfShortLived(decision: Decision, archive: ArchiveIndex): Warning[] {
  if (!willWrite(decision)) return [];
  const { kind, record } = decision;
  const losing = childrenPointedTo(record, archive).filter(
    ({ children, child }) => children.losesDependents?.(child) === true,
  );
  return losing.map(({ called }) => {
    const message = `the ${kind.singular} "${record.name}" is on ${called}, of a type that keeps none: the server deletes it at the next update of what it is on`;
    return { code: "short-lived", message };
  });
}
