import type { Code } from "../../core/codes.ts";
import { EVERY_OTHER } from "../../core/plan/plan.ts";
import { recordKey, type RecordKey, type StackRecord } from "../../core/records/record.ts";
import { nameOfRecord, nounOf, pluralOf } from "../../kinds/nouns.ts";
import { nameOfReferenceTarget, referenceTargetsOf, referencesOf } from "../../references/archive-index.ts";
import { foldedKey } from "../../references/known-ids.ts";
import { partsOfTarget, referencesInParts } from "../../references/parts.ts";
import type { Reference, ReferenceTarget } from "../../references/references.ts";
import { formOf } from "../write-body.ts";
import type { WriteNeeds } from "./write-order.ts";
import { isDead, linkEndOf, noteDeadLinks, type DeadLinks } from "./dead-links.ts";
import { adviceIn, decisionKey, type Decision, type PlanBasis } from "./decide/decision.ts";

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
export interface Resolution extends DeadLinks {
  readonly needs: WriteNeeds;
  readonly blockers: readonly Blocker[];
}

export function resolveReferences(decision: Decision, basis: PlanBasis): Resolution {
  const { record: from } = decision;
  const hard = new Set<RecordKey>();
  const soft = new Set<RecordKey>();
  const blockers: Blocker[] = [];
  let hasDeadLinks = false;
  for (const referenceTarget of referenceTargetsOf(basis.archive, from)) {
    const end = linkEndOf(referenceTarget, basis);
    if (end === "comes" && referenceTarget.record)
      (referenceTarget.deferrable ? soft : hard).add(referenceTarget.record);
    if (end === "missing") blockers.push(describeBlocker(from, referenceTarget, basis));
    if (end === "nothing" || end === "left-out") hasDeadLinks = true;
  }
  blockers.push(...deadReferencesKept(decision, basis));
  // If one reference to a record must be in the first write, deferring the other references to the same record would gain nothing.
  for (const key of hard) soft.delete(key);
  const deadLinks = hasDeadLinks ? noteDeadLinks(from, basis) : { warnings: [], leftOut: [] };
  return { needs: { hard, soft }, blockers, ...deadLinks };
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
  const isRefused = ({ space, id, serverValidated }: Reference): boolean =>
    serverValidated && target.lacks(space, id) && !isToCome(id) && !taken.has(foldedKey(space, id));
  const sent = formOf(kind, bodies.of(kind, decisionKey(decision)), { ...decision, sourceId: record.id }, ids, {});
  const part = partsOfTarget(kind, sent).find((each) => referencesInParts(kind, sent, [each]).some(isRefused));
  if (part === undefined) return [];
  const message = `its ${part.label} stays as it is on the target, where it needs a record that is gone, and the server refuses that; correct it on the target, or --on-conflict overwrite writes what the archive has`;
  return [{ code: "dead-reference", message }];
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
    // A map file can name a record of the target in the place of one that `--create` cannot create there.
    const isNameable = written.code === "not-offered" || written.code === "forbidden";
    return { code: "dependency-blocked", message, blockedBy: record, ...(isNameable && { referenceTarget }) };
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
  const hint = adviceIn(basis, waysToSupply(referenceTarget, basis));
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
