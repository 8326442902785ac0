import type { Code } from "../../core/codes.ts";
import { willWrite, EVERY_OTHER } from "../../core/plan/plan.ts";
import type { Warning } from "../../core/outcome.ts";
import { recordKey, type KindName, type RecordKey, type StackRecord, labelOf } from "../../core/records/record.ts";
import type { IdSpace } from "../../core/resource-kind.ts";
import { findKind } from "../../kinds/registry.ts";
import { nameOfRecord, nounOf, pluralOf } from "../../kinds/nouns.ts";
import { referenceTargetsOf, referencesOf, type ArchiveIndex } from "../../references/archive-index.ts";
import { hasChild } from "../../references/children.ts";
import { foldedKey } from "../../references/known-ids.ts";
import { partsOfTarget, referencesInParts } from "../../references/parts.ts";
import { findReferences, type Reference, type ReferenceTarget } from "../../references/references.ts";
import { formOf } from "../write-body.ts";
import type { WriteNeeds } from "./write-order.ts";
import { adviceIn, decisionKey, type DecisionBasis, type Decision } from "./decide/decision.ts";

/** A reason why a record cannot be written. */
export interface Blocker {
  readonly code: Code;
  readonly message: string;
  /** The missing target of a reference, if a map file could name its id. */
  readonly referenceTarget?: ReferenceTarget;
  /** The record that is needed and blocked. */
  readonly blockedBy?: RecordKey;
}

/** The dependencies of a record that is to be written, and the reasons, if any, why the record cannot be written. */
export interface Resolution {
  readonly needs: WriteNeeds;
  readonly blockers: readonly Blocker[];
}

/** The places in a written record that the user should know of. */
export interface ReferenceNotes {
  readonly warnings: readonly Warning[];
  /** Pointers of texts in which an id is rewritten. */
  readonly rewrites: readonly string[];
  /** Pointers of members that are left out, because the target does not have the record that they reference. */
  readonly leftOut: readonly string[];
}

const NO_NOTES: ReferenceNotes = { warnings: [], rewrites: [], leftOut: [] };

/** The input of all steps after the decisions. If only parts of a record are taken, the archive contains only these parts of it. */
export interface PlanBasis extends DecisionBasis {
  readonly decisions: ReadonlyMap<RecordKey, Decision>;
  /** Kinds whose records `--create` could create. */
  readonly creatable: ReadonlySet<IdSpace>;
  /** Kinds whose records the archive holds completely. */
  readonly whole: ReadonlySet<KindName>;
  /** Ids of tiles of code files that stand in for tiles which the API could not show. */
  readonly substitutes: ReadonlySet<string>;
}

/**
 * The status of a reference. `resolved`: the referenced record has an id on the target. `pending`: this import also writes the
 * referenced record. `dangling`: the id stays unchanged, because it was already dangling on the source stack or only occurs in a
 * text. `omitted`: the referencing record is written without the reference. `missing`: the referencing record is blocked.
 */
type ReferenceStatus = "resolved" | "pending" | "dangling" | "omitted" | "missing";

export function resolveReferences(decision: Decision, basis: PlanBasis): Resolution {
  const { record: from } = decision;
  const hard = new Set<RecordKey>();
  const soft = new Set<RecordKey>();
  const blockers: Blocker[] = [];
  for (const referenceTarget of referenceTargetsOf(basis.archive, from)) {
    const status = referenceStatus(referenceTarget, decision, basis);
    if (status === "pending" && referenceTarget.record)
      (referenceTarget.deferrable ? soft : hard).add(referenceTarget.record);
    if (status === "missing") blockers.push(describeBlocker(from, referenceTarget, basis));
  }
  blockers.push(...deadReferencesKept(decision, basis));
  // If one reference to a record must be in the first write, deferring the other references to the same record would gain nothing.
  for (const key of hard) soft.delete(key);
  return { needs: { hard, soft }, blockers };
}

/**
 * Finds the parts that an update of other parts sends as they are on the target, and that have a reference which leads nowhere: the
 * server would refuse the whole update. The references of the parts that are taken are resolved one by one.
 */
function deadReferencesKept(decision: Decision, { archive, ids, target, bodies }: PlanBasis): Blocker[] {
  const { kind, record, action, parts } = decision;
  if (action !== "update" || parts === undefined) return [];
  const taken = new Set(
    referenceTargetsOf(archive, record).map(({ space, id }) => foldedKey(space, ids.get(space, id) ?? id)),
  );
  const isToCome = (id: string): boolean => id.split("/").some((each) => bodies.idsToCome.has(each));
  const isDead = ({ space, id, serverValidated }: Reference): boolean =>
    serverValidated && target.lacks(space, id) && !isToCome(id) && !taken.has(foldedKey(space, id));
  const sent = formOf(kind, bodies.of(kind, decisionKey(decision)), { ...decision, sourceId: record.id }, ids, {});
  const part = partsOfTarget(kind, sent).find((each) => referencesInParts(kind, sent, [each]).some(isDead));
  if (part === undefined) return [];
  const message = `its ${part.label} stays as it is on the target, where it needs a record that is gone, and the server refuses that; correct it on the target, or --on-conflict overwrite writes what the archive has`;
  return [{ code: "dead-reference", message }];
}

/** Lists the texts with replaced ids and the left-out members, and warns of these and of ids that remain. */
export function noteReferences(decision: Decision, basis: PlanBasis): ReferenceNotes {
  if (!willWrite(decision)) return NO_NOTES;
  const isNoted = (referenceTarget: ReferenceTarget): boolean =>
    referenceTarget.form === "embedded"
      ? !isRightAlready(referenceTarget, basis)
      : ["dangling", "omitted"].includes(referenceStatus(referenceTarget, decision, basis));
  if (!referenceTargetsOf(basis.archive, decision.record).some(isNoted)) return NO_NOTES;
  const warnings: Warning[] = [];
  const [rewrites, leftOutPointers] = [new Set<string>(), new Set<string>()];
  for (const reference of referencesOf(basis.archive, decision.record).filter(isNoted)) {
    const status = referenceStatus(reference, decision, basis);
    if (status === "dangling") warnings.push(describeDangling(decision, reference, basis));
    else if (status === "omitted") {
      warnings.push(describeOmitted(decision, reference, basis));
      leftOutPointers.add(reference.pointer);
    } else rewrites.add(reference.pointer);
  }
  return { warnings, rewrites: [...rewrites], leftOut: [...leftOutPointers] };
}

function referenceStatus(referenceTarget: ReferenceTarget, from: Decision, basis: PlanBasis): ReferenceStatus {
  const { archive, ids, decisions } = basis;
  const { space, id, record, form, deferrable } = referenceTarget;
  const written = record && decisions.get(record);
  const toCome = written?.action === "create" && ids.get(space, id) === undefined;
  if (!toCome && isKnown(referenceTarget, basis)) return "resolved";
  if (written && willWrite(written) && !isDead(referenceTarget, basis)) return "pending";
  if (referenceTarget.optional) return "omitted";
  if (deferrable && isDead(referenceTarget, basis) && !wouldLoseLink(from, basis)) return "omitted";
  return form === "embedded" || isDangling(referenceTarget, archive) ? "dangling" : "missing";
}

/**
 * Tells whether an update that leaves out the links which dangle at the source could remove a link that works on the target. A link
 * to a record that this run deletes does not count.
 */
function wouldLoseLink(
  { action, kind, record, replaces }: Decision,
  { archive, ids, target, removed }: PlanBasis,
): boolean {
  if (action === "create") return false;
  if (replaces === undefined) return true;
  const linked = referencesOf(archive, record).map(({ space, id }) => ids.get(space, id));
  return findReferences(kind, replaces.body, new Map()).some(({ space, id, deferrable, record: linkedKey }) => {
    if (!deferrable || !target.has(space, id) || (linkedKey !== undefined && removed.has(linkedKey))) return false;
    const place = linked.indexOf(id);
    if (place !== -1) linked.splice(place, 1);
    return place === -1;
  });
}

function isKnown({ space, id, form }: ReferenceTarget, { ids, target, ownStack }: PlanBasis): boolean {
  if (ids.get(space, id) !== undefined) return true;
  // If the target is the archive's own stack, the target may still have a record that the archive lacks.
  return ownStack && form === "whole" && target.has(space, id);
}

/** Tells whether an id in a text is already right: the target is the archive's own stack, and only the target has the record. */
function isRightAlready({ space, id }: ReferenceTarget, { archive, ids, target, ownStack }: PlanBasis): boolean {
  const isKnownHere = archive.byKey.has(recordKey(space, id)) || ids.get(space, id) !== undefined;
  return ownStack && !isKnownHere && target.has(space, id);
}

/** Tells whether the archive lacks the referenced record: somebody deleted it before the export, or the export left it out. */
function isDead({ space, id, record, form }: ReferenceTarget, { archive, whole }: PlanBasis): boolean {
  const [kindName = space, inside] = space.split("/");
  if (form === "embedded" || record === undefined) return false;
  const archived = archive.byKey.get(record);
  if (archived === undefined) return whole.has(kindName);
  return inside !== undefined && !hasChild(archived, findKind(kindName)?.children ?? [], id.split("/")[1] ?? "");
}

/** Tells whether an id may be wrong at its source: the server does not check it, and the archive has no such record. */
function isDangling({ serverValidated, space, id }: ReferenceTarget, archive: ArchiveIndex): boolean {
  return !serverValidated && !archive.byKey.has(recordKey(space, id));
}

function describeDangling({ record }: Decision, reference: Reference, basis: PlanBasis): Warning {
  const what = `the id of a ${nounOf(reference.space)} that has no counterpart on the target`;
  const message = `${nameOfRecord(record)} keeps ${what}${adviceIn(basis, "; name one in a map file")}`;
  return { code: "dead-link", message, pointer: reference.pointer };
}

function describeOmitted({ record }: Decision, reference: Reference, basis: PlanBasis): Warning {
  const what = `${nounOf(reference.space)} "${nameOfReferenceTarget(reference, basis.archive)}"`;
  const next = adviceIn(basis, "; name another in a map file to keep the link");
  const message = `${nameOfRecord(record)} is written without its link to the ${what}, which the target does not have${next}`;
  return { code: "left-out", message, pointer: reference.pointer };
}

/** The end of a rollback's message about a record that is missing. */
const RESTORED_BY_HAND = "on the stack, and is not restored; restore both by hand";

function describeBlocker(from: StackRecord, referenceTarget: ReferenceTarget, basis: PlanBasis): Blocker {
  const { archive, inventory, matching, decisions } = basis;
  const { space, id, record } = referenceTarget;
  const noun = nounOf(space);
  const name = nameOfReferenceTarget(referenceTarget, archive);
  if (isDead(referenceTarget, basis)) {
    const place = referencesOf(archive, from).find((reference) => reference.space === space && reference.id === id);
    const where = place === undefined ? "" : ` (${place.pointer})`;
    if (record !== undefined && archive.byKey.has(record)) {
      const message = `watches a ${noun} that the API does not show, so the archive lacks the ${noun}: ${name}${where}; create both again by hand`;
      return { code: "unshown-tile", message };
    }
    const cause = adviceIn(
      basis,
      `in the archive: the ${noun} was deleted before the export, or the export left it out`,
    );
    const message = `needs the ${noun} "${name}"${where}, which is not ${cause || RESTORED_BY_HAND}`;
    return { code: "dead-reference", message, referenceTarget };
  }
  const written = record && decisions.get(record);
  if (written?.action === "blocked") {
    const message = `needs ${nameOfRecord(written.record)}, which is blocked`;
    return { code: "dependency-blocked", message, blockedBy: record };
  }
  const candidates = matching.pairs.get(space)?.ambiguous.get(id);
  if (candidates) {
    const message = `needs the ${noun} "${name}"; ${candidates.length} records of the target could be the same one`;
    return { code: "ambiguous", message, referenceTarget };
  }
  const { refusal } = inventory.kinds.get(space) ?? {};
  if (refusal !== undefined) {
    const message = `needs the ${noun} "${name}", and the target's ${pluralOf(space)} cannot be read: ${refusal}; or name the right one in a map file, by its id`;
    return { code: "forbidden", message, referenceTarget };
  }
  const hint = `${namesakeText(referenceTarget, basis)}${adviceIn(basis, waysToSupply(referenceTarget, basis))}`;
  const message = `needs the ${noun} "${name}", which has no counterpart on the target${hint}`;
  return { code: "missing-reference", message, referenceTarget };
}

/** Returns the end of a message about a missing record: what would supply it, or a counterpart of it. */
function waysToSupply({ space, id }: ReferenceTarget, { archive, creatable }: PlanBasis): string {
  const every = space === "webhooks" ? `; a line "${EVERY_OTHER}" under webhooks in a map file names one for all` : "";
  if (archive.byKey.has(recordKey(space, id))) {
    return `${creatable.has(space) ? `; --create ${space} creates missing ones` : ""}${every}`;
  }
  // An id of a tile follows from its dashboard.
  if (space.includes("/")) return "";
  return `; nothing tells which ${nounOf(space)} this is: import it, too, or name its counterpart in a map file${every}`;
}

/**
 * Explains why the target's record of the same name is not the counterpart: the state or a map file pairs that record with another
 * record of the archive.
 */
function namesakeText({ space, id }: ReferenceTarget, { archive, inventory, ids }: PlanBasis): string {
  const name = archive.byKey.get(recordKey(space, id))?.name;
  const namesake = inventory.kinds.get(space)?.records.find((record) => record.name === name);
  const owner = namesake && ids.sourceOf(space, namesake.id);
  if (owner === undefined) return "";
  return `: the one of this name there is the counterpart of "${archive.byKey.get(recordKey(space, owner))?.name ?? owner}"`;
}

/** Returns the name that a referenced record has in the archive; if there is none, its id. */
export function nameOfReferenceTarget(
  { space, id }: Pick<ReferenceTarget, "space" | "id">,
  archive: ArchiveIndex,
): string {
  const record = archive.byKey.get(recordKey(space, id));
  return record === undefined ? (id.split("/").at(-1) ?? id) : labelOf(record);
}
