import { willWrite } from "../../core/plan/plan.ts";
import type { Warning } from "../../core/outcome.ts";
import { nameOfRecord, nounOf } from "../../kinds/nouns.ts";
import { qualifiedChildId, type IdMap } from "../../core/plan/id-map.ts";
import type { JsonObject } from "../../core/json.ts";
import { keyOfRecord, recordKey, splitKey, type RecordKey, type StackRecord } from "../../core/records/record.ts";
import type { ChildIds, FindChild, FindRecord } from "../../core/resource-kind.ts";
import { recordFinder, targetAnswersOf, type Inventory } from "../../matching/inventory.ts";
import { childIdOf, childrenAt, childrenOf } from "../../references/children.ts";
import type { ReferenceTarget } from "../../references/references.ts";
import { adviceIn, takenRecord, type Decision, type DecisionBasis, type PlanBasis } from "./decide/decision.ts";
import { type Resolution } from "./resolve-references.ts";
import { nameOfReferenceTarget, referenceTargetsOf, type ArchiveIndex } from "../../references/archive-index.ts";

export function blockRefused(decision: Decision, { archive, inventory, ids }: DecisionBasis): Decision {
  const { kind, record } = decision;
  const nameOfReference = (space: string, id: string): string => nameOfReferenceTarget({ space, id }, archive);
  const refusal =
    kind.rejectReason?.(record.body, targetAnswersOf(inventory, kind.name), nameOfReference) ??
    kind.refusedForReferences?.[inventory.stack.variant]?.(
      record.body,
      findOnTarget(archive, inventory, ids),
      childrenBefore(decision, ids),
    );
  return refusal === undefined ? decision : { ...decision, action: "blocked", ...refusal };
}

/** An id that the archive lacks may be an id of the target. */
function findOnTarget(archive: ArchiveIndex, inventory: Inventory, ids: IdMap): FindRecord {
  const findTarget = recordFinder(inventory);
  return (kind, id) =>
    findTarget(kind, ids.get(kind, id) ?? "") ?? archive.byKey.get(recordKey(kind, id)) ?? findTarget(kind, id);
}

function childrenBefore({ action, kind, record, replaces }: Decision, ids: IdMap): FindChild {
  if (action !== "update" || replaces === undefined) return () => undefined;
  const targetChildren = new Map(
    kind.children.flatMap((children) =>
      childrenOf(replaces.body, children).map((child) => [`${children.space} ${childIdOf(child)}`, child] as const),
    ),
  );
  const find = ({ space }: ChildIds, child: JsonObject): JsonObject | undefined => {
    const id = ids.get(space, qualifiedChildId(record.id, childIdOf(child)));
    return id === undefined ? undefined : targetChildren.get(`${space} ${id}`);
  };
  return (child) => kind.children.map((children) => find(children, child)).find((found) => found !== undefined);
}

/** A create on a present child waits for the owner's update, which can delete records on children. */
export function applyChildRules(
  resolution: Resolution,
  { action, record: from }: Decision,
  basis: PlanBasis,
): Resolution {
  const { variant } = basis.inventory.stack;
  const { hard, soft } = resolution.needs;
  const [first, blockers] = [new Set<RecordKey>(), [...resolution.blockers]];
  for (const { children, child, now, owner, called } of childrenPointedTo(from, basis)) {
    const rule = children.pointedTo?.[variant];
    const isRefusedNow = rule !== undefined && !rule.accepts(now ?? child);
    if (isRefusedNow || (action === "create" && now !== undefined)) first.add(keyOfRecord(owner));
    if (rule === undefined || rule.accepts(child)) continue;
    const next = adviceIn(basis, "; change the tile or move the alert where the archive is from");
    const message = `is on ${called}, but a ${variant} stack accepts alerts only on ${rule.only}${next}`;
    blockers.push({ code: "would-be-refused", message });
  }
  return { ...resolution, needs: { hard: new Set([...hard, ...first]), soft }, blockers };
}

interface PointedTo {
  readonly children: ChildIds;
  /** As the child will be on the target. */
  readonly child: JsonObject;
  /** As the child is on the target; set if the import writes its owner. */
  readonly now?: JsonObject;
  readonly owner: StackRecord;
  readonly called: string;
}

function childrenPointedTo(from: StackRecord, basis: PlanBasis): PointedTo[] {
  return referenceTargetsOf(basis.archive, from).flatMap((referenceTarget) => pointedTo(referenceTarget, basis) ?? []);
}

function pointedTo({ space, id, record: owner }: ReferenceTarget, basis: PlanBasis): PointedTo | undefined {
  const { inventory, ids, decisions } = basis;
  const archived = owner === undefined ? undefined : takenRecord(owner, basis);
  const children = childrenAt(space);
  if (owner === undefined || archived === undefined || children === undefined) return undefined;
  const targetRecord = recordFinder(inventory)(archived.kind, ids.get(archived.kind, archived.id) ?? "");
  const now = childWithId(targetRecord, children, ids.get(space, id));
  const decision = decisions.get(owner);
  const isWritten = decision !== undefined && willWrite(decision);
  const child = isWritten || now === undefined ? childWithId(archived, children, splitKey(id)[1]) : now;
  if (child === undefined) return undefined;
  const called = `the ${nounOf(space)} "${children.nameOf(child)}" of "${archived.name}"`;
  return { children, child, ...(isWritten && now && { now }), owner: archived, called };
}

function childWithId(
  owner: StackRecord | undefined,
  children: ChildIds,
  id: string | undefined,
): JsonObject | undefined {
  return owner && childrenOf(owner.body, children).find((child) => childIdOf(child) === id);
}

/** The server deletes a record on a `losesDependents` child at the next update of the child's owner. */
export function warnOfShortLived(decision: Decision, basis: PlanBasis): Warning[] {
  if (!willWrite(decision)) return [];
  const { kind, record } = decision;
  const losing = childrenPointedTo(record, basis).filter(
    ({ children, child }) => children.losesDependents?.(child) === true,
  );
  return losing.map(({ called, owner }) => {
    const message = `${nameOfRecord(record)} is on ${called}, and tiles of this type cannot have alerts: the server deletes the ${kind.singular} at the next update of "${owner.name}"; move the ${kind.singular} to another tile on the stack that the archive is from`;
    return { code: "would-delete-alerts", message };
  });
}
