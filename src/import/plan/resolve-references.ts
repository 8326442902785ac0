import type { Code } from "../../core/codes.ts";
import { yieldToEventLoop } from "../../core/event-loop.ts";
import type { Warning } from "../../core/outcome.ts";
import { EVERY_OTHER, willWrite } from "../../core/plan/plan.ts";
import { keyOfRecord, recordKey, type RecordKey, type StackRecord } from "../../core/records/record.ts";
import { nameOfRecord, nounOf, pluralOf } from "../../kinds/nouns.ts";
import { knownKind } from "../../kinds/registry.ts";
import {
  nameOfReferenceTarget,
  referenceTargetsOf,
  referencesOf,
  type ArchiveIndex,
} from "../../references/archive-index.ts";
import { childIdsOf } from "../../references/children.ts";
import { foldedKey, foldIds } from "../../references/known-ids.ts";
import { partsOfTarget, referencesInParts } from "../../references/parts.ts";
import type { Reference, ReferenceTarget } from "../../references/references.ts";
import { formOf } from "../write-body.ts";
import { adviceIn, takenRecord, type Decision, type PlanBasis } from "./decide/decision.ts";
import { creationHint } from "./selection.ts";
import type { WriteNeeds } from "./write-order.ts";

interface Blocker {
  readonly code: Code;
  readonly message: string;
  /** For the list of ids that a map file can name. */
  readonly referenceTarget?: ReferenceTarget;
  readonly blockedBy?: RecordKey;
}

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
  // A link to a record that the first write needs anyway gains nothing by waiting.
  for (const key of hard) soft.delete(key);
  const deadLinks = hasDeadLinks ? noteDeadLinks(from, basis) : { warnings: [], leftOut: [] };
  return { needs: { hard, soft }, blockers, ...deadLinks };
}

/**
 * What a link leads to after the run. `nothing`: nobody checks the id, which stays. `missing`: the record with the link cannot be
 * written.
 */
type LinkEnd = "there" | "comes" | "nothing" | "left-out" | "missing";

function linkEndOf(link: ReferenceTarget, basis: PlanBasis): LinkEnd {
  const { archive, ids, decisions } = basis;
  const { space, id, record, deferrable } = link;
  const written = record && decisions.get(record);
  const isToCome = written?.action === "create" && ids.get(space, id) === undefined;
  if (!isToCome && isThere(link, basis)) return "there";
  if (written && willWrite(written) && !isDead(link, basis)) return "comes";
  if (link.optional || (deferrable && isDead(link, basis))) return "left-out";
  return isUnchecked(link, archive) ? "nothing" : "missing";
}

/** An id that leads nowhere can stay in a text, or in a member that the server does not check. */
function isUnchecked({ form, serverValidated, space, id }: ReferenceTarget, archive: ArchiveIndex): boolean {
  return form === "embedded" || (!serverValidated && !archive.byKey.has(recordKey(space, id)));
}

function isThere(link: ReferenceTarget, basis: PlanBasis): boolean {
  const { ids, target, ownStack } = basis;
  const { space, id, deferrable } = link;
  const counterpart = ids.get(space, id);
  // If the target is the archive's own stack, the target may still have a record that the archive lacks.
  if (counterpart === undefined) return ownStack && target.has(space, id);
  // The counterpart of a dead link may come from the journal, and the target may have lost the counterpart, too.
  return !(deferrable && isDead(link, basis) && target.lacks(space, counterpart));
}

function isDead({ space, id, record, form }: ReferenceTarget, basis: PlanBasis): boolean {
  const [kindName = space, inside] = space.split("/");
  if (form === "embedded" || record === undefined) return false;
  const archived = takenRecord(record, basis);
  if (archived === undefined) return basis.whole.has(kindName);
  return inside !== undefined && !childIdsOf(archived).has(foldIds(id.split("/")[1] ?? ""));
}

interface DeadLinks {
  readonly warnings: readonly Warning[];
  readonly leftOut: readonly string[];
}

function noteDeadLinks(record: StackRecord, basis: PlanBasis): DeadLinks {
  const { archive } = basis;
  const deadLinks = referencesOf(archive, record).flatMap((link) => {
    const end = linkEndOf(link, basis);
    return end === "nothing" || end === "left-out" ? [{ link, end }] : [];
  });
  const next = adviceIn(basis, "; name another in a map file");
  const warnings = deadLinks.map(({ link, end }): Warning => {
    const [code, how]: [Code, string] =
      end === "left-out" ? ["left-out", "is written without its link to"] : ["dead-link", "keeps its link to"];
    const what = `the ${nounOf(link.space)} "${nameOfReferenceTarget(link, archive)}"`;
    const message = `${nameOfRecord(record)} ${how} ${what}, which the target does not have${next}`;
    return { code, message, pointer: link.pointer };
  });
  const leftOut = deadLinks.flatMap(({ link, end }) => (end === "left-out" ? [link.pointer] : []));
  return { warnings, leftOut: [...new Set(leftOut)] };
}

/** The server would refuse the whole update for a dead reference in a part that the update only sends back. */
function deadReferencesKept(decision: Decision, { archive, ids, target, bodies }: PlanBasis): Blocker[] {
  const { kind, record, action, parts } = decision;
  if (action !== "update" || parts === undefined) return [];
  const taken = new Set(
    referenceTargetsOf(archive, record).map(({ space, id }) => foldedKey(space, ids.get(space, id) ?? id)),
  );
  const isToCome = (id: string): boolean => id.split("/").some((each) => bodies.idsToCome.has(each));
  const isRefused = ({ space, id, serverValidated }: Reference): boolean =>
    serverValidated && target.lacks(space, id) && !isToCome(id) && !taken.has(foldedKey(space, id));
  const sent = formOf(kind, bodies.of(keyOfRecord(record)), { ...decision, sourceId: record.id }, ids, {});
  const part = partsOfTarget(kind, sent).find((each) => referencesInParts(kind, sent, [each]).some(isRefused));
  if (part === undefined) return [];
  const message = `its ${part.label} stays as it is on the target, where it needs a record that is gone, and the server refuses that; correct it on the target, or --on-conflict overwrite writes what the archive has`;
  return [{ code: "dead-reference", message }];
}

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
    // A map file can name a record of the target in the place of a record that `--create` cannot create.
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

function waysToSupply({ space, id }: ReferenceTarget, basis: PlanBasis): string {
  const every = space === "webhooks" ? `; a line "${EVERY_OTHER}" under webhooks in a map file names one for all` : "";
  if (basis.archive.byKey.has(recordKey(space, id))) return `${creationHint(knownKind(space), basis)}${every}`;
  // The id of a tile follows from its dashboard, so there is nothing to name.
  if (space.includes("/")) return "";
  return `; nothing tells which ${nounOf(space)} this is: import it, too, or name its counterpart in a map file${every}`;
}

export interface BlockReason extends Blocker {
  readonly key: RecordKey;
}

export interface PropagatedBlocks {
  readonly decisions: ReadonlyMap<RecordKey, Decision>;
  readonly resolutions: ReadonlyMap<RecordKey, Resolution>;
  readonly blockers: readonly BlockReason[];
}

type Resolve = (decision: Decision, decisions: ReadonlyMap<RecordKey, Decision>) => Resolution;

export async function propagateBlocks(
  decided: ReadonlyMap<RecordKey, Decision>,
  archive: ArchiveIndex,
  resolve: Resolve,
  signal?: AbortSignal,
): Promise<PropagatedBlocks> {
  const decisions = new Map(decided);
  const resolutions = new Map<RecordKey, Resolution>();
  const blockers: BlockReason[] = [];
  let pendingKeys: readonly RecordKey[] = [...decisions.keys()];
  while (pendingKeys.length > 0) {
    const writes = pendingKeys.flatMap((key) => decisions.get(key) ?? []).filter(willWrite);
    const round: { readonly decision: Decision; readonly resolution: Resolution }[] = [];
    for (const decision of writes) {
      round.push({ decision, resolution: resolve(decision, decisions) });
      await yieldToEventLoop(signal);
    }
    const blocked = round.filter(({ resolution }) => resolution.blockers.length > 0);
    for (const { decision, resolution } of round) resolutions.set(keyOfRecord(decision.record), resolution);
    for (const { decision, resolution } of blocked) {
      const key = keyOfRecord(decision.record);
      resolutions.delete(key);
      decisions.set(key, blockDecision(decision, resolution.blockers));
      blockers.push(...resolution.blockers.map((blocker) => ({ ...blocker, key })));
    }
    const blockedKeys = new Set(blocked.map(({ decision }) => keyOfRecord(decision.record)));
    const waiting = [...resolutions].flatMap(([key, { needs }]) =>
      [...needs.hard].some((needed) => blockedKeys.has(needed)) ? [key] : [],
    );
    const dependents = [...blockedKeys].flatMap((key) => [...(archive.dependents().get(key) ?? [])]);
    pendingKeys = [...new Set([...dependents, ...waiting])];
  }
  return { decisions, resolutions, blockers };
}

function blockDecision(decision: Decision, blockers: readonly Blocker[]): Decision {
  const message = [...new Set(blockers.map((blocker) => blocker.message))].join("; ");
  const [first] = blockers;
  const blockedBy = first?.blockedBy;
  return { ...decision, action: "blocked", code: first?.code, message, ...(blockedBy && { blockedBy }) };
}
