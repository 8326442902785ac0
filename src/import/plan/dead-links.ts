import type { Code } from "../../core/codes.ts";
import { willWrite } from "../../core/plan/plan.ts";
import type { Warning } from "../../core/outcome.ts";
import { groupBy } from "../../core/collections.ts";
import { keyOfRecord, recordKey, type StackRecord } from "../../core/records/record.ts";
import { MAX_NAMED, joinNames } from "../../core/text/format.ts";
import { findKind, knownKind } from "../../kinds/registry.ts";
import { nameOfRecord, nounOf } from "../../kinds/nouns.ts";
import { recordsOf } from "../../matching/inventory.ts";
import { referencesOf, type ArchiveIndex, nameOfReferenceTarget } from "../../references/archive-index.ts";
import { hasChild } from "../../references/children.ts";
import { makeKnownId } from "../../references/known-ids.ts";
import { findReferences, type ReferenceTarget } from "../../references/references.ts";
import { isPartialImport } from "./decide/decide-new.ts";
import { adviceIn, takenRecord, type PlanBasis } from "./decide/decision.ts";

/**
 * What a link of a written record leads to after the run. `there`: the target has the record. `comes`: this run writes it. `nothing`:
 * the id stays as it is, because it leads nowhere on the source stack, too, or only occurs in a text. `left-out`: the record is
 * written without the link. `missing`: the record cannot be written.
 */
type LinkEnd = "there" | "comes" | "nothing" | "left-out" | "missing";

export function linkEndOf(link: ReferenceTarget, basis: PlanBasis): LinkEnd {
  const { archive, ids, decisions } = basis;
  const { space, id, record, deferrable } = link;
  const written = record && decisions.get(record);
  const isToCome = written?.action === "create" && ids.get(space, id) === undefined;
  if (!isToCome && isThere(link, basis)) return "there";
  if (written && willWrite(written) && !isDead(link, basis)) return "comes";
  if (link.optional || (deferrable && isDead(link, basis))) return "left-out";
  return isUnchecked(link, archive) ? "nothing" : "missing";
}

/** Tells whether an id may be wrong: it is in a text, or the server does not check it, and the archive has no such record. */
function isUnchecked({ form, serverValidated, space, id }: ReferenceTarget, archive: ArchiveIndex): boolean {
  return form === "embedded" || (!serverValidated && !archive.byKey.has(recordKey(space, id)));
}

function isThere(link: ReferenceTarget, basis: PlanBasis): boolean {
  const { ids, target, ownStack } = basis;
  const { space, id, deferrable } = link;
  const counterpart = ids.get(space, id);
  // If the target is the archive's own stack, the target may still have a record that the archive lacks.
  if (counterpart === undefined) return ownStack && target.has(space, id);
  // The journal also knows records that are gone from both sides.
  return !(deferrable && isDead(link, basis) && target.lacks(space, counterpart));
}

/** Tells whether the archive lacks the referenced record: somebody deleted it before the export, or the export left it out. */
export function isDead({ space, id, record, form }: ReferenceTarget, basis: PlanBasis): boolean {
  const [kindName = space, inside] = space.split("/");
  if (form === "embedded" || record === undefined) return false;
  const archived = takenRecord(record, basis);
  if (archived === undefined) return basis.whole.has(kindName);
  return inside !== undefined && !hasChild(archived, findKind(kindName)?.children ?? [], id.split("/")[1] ?? "");
}

/** The links of a written record that lead nowhere. */
export interface DeadLinks {
  readonly warnings: readonly Warning[];
  /** Pointers of members that are left out, because the target does not have the record that they reference. */
  readonly leftOut: readonly string[];
}

/** Warns of the links of a written record that lead nowhere, whether they stay or are left out. */
export function noteDeadLinks(record: StackRecord, basis: PlanBasis): DeadLinks {
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

/**
 * Warns of records that stay as they are on the target, and that link, also in a text, to a record that will not be there: the run
 * deletes it, or it is one of the archive's that somebody has deleted on the target. If the run creates that one again, it gets
 * another id.
 */
export function warnOfDeadLinks(basis: PlanBasis): Warning[] {
  const { inventory, decisions, removed, options } = basis;
  const lost = lostRecords(basis);
  if (lost.size === 0) return [];
  const actions = new Map(
    [...decisions.values()].map(({ kind, targetId = "", action }) => [recordKey(kind.name, targetId), action]),
  );
  const lostIds = new Map([...lost].map(([id, { kind }]) => [id, makeKnownId(kind, id)]));
  const links = recordsOf(inventory).flatMap((from) => {
    const key = keyOfRecord(from);
    if (removed.has(key) || actions.get(key) === "update") return [];
    const isAsked = !isPartialImport(options) || actions.has(key);
    const to = findReferences(knownKind(from.kind), from.body, lostIds).flatMap(({ space, id }) => {
      const record = lost.get(id.toLowerCase());
      if (record?.kind !== space) return [];
      const isDecided = decisions.has(keyOfRecord(record)) || removed.has(keyOfRecord(record));
      return isAsked || isDecided ? [record] : [];
    });
    return [...new Set(to)].map((record) => ({ from, record }));
  });
  return [...groupBy(links, ({ record }) => record)].map(([record, of]) => {
    const names = joinNames(of, MAX_NAMED, ({ from }) => nameOfRecord(from));
    const verb = of.length === 1 ? "links" : "link";
    const next = `; set the link by hand${adviceIn(basis, ", or let an import write both")}`;
    const message = `${names} on the target ${verb} to ${nameOfRecord(record)} by an id that nothing has after this run${next}`;
    return { code: "dead-link", message };
  });
}

/** Finds the records of which the target will have nothing under an id that it knew, by that id in lower case. */
function lostRecords({ archive, bases, ownStack, target, removed, inventory }: PlanBasis): Map<string, StackRecord> {
  const going = recordsOf(inventory).filter((record) => removed.has(keyOfRecord(record)));
  const deletedBySomebody = archive.records.flatMap((record) => {
    const formerIds = [bases.get(keyOfRecord(record))?.targetId, ownStack ? record.id : undefined];
    return formerIds
      .filter((id) => id !== undefined && target.lacks(record.kind, id))
      .map((id = "") => ({ id, record }));
  });
  const lost = [...deletedBySomebody, ...going.map((record) => ({ id: record.id, record }))];
  return new Map(lost.map(({ id, record }) => [id.toLowerCase(), record]));
}
