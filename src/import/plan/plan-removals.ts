import { willWrite, type PlannedMirror, type Removal } from "../../core/plan/plan.ts";
import { foldedKey } from "../../references/known-ids.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Warning } from "../../core/outcome.ts";
import {
  keyOfRecord,
  recordKey,
  splitKey,
  targetKey,
  type RecordKey,
  type StackRecord,
  type KindName,
} from "../../core/records/record.ts";
import { findKind, kinds, knownKind } from "../../kinds/registry.ts";
import { recordFinder, type Inventory } from "../../matching/inventory.ts";
import { findReferences, hostKeysOf } from "../../references/references.ts";
import { groupBy } from "../../core/collections.ts";
import { nameOfRecord } from "../../kinds/nouns.ts";
import { joinNames, MAX_NAMED } from "../../core/text/format.ts";
import { displayNameMember } from "../../kinds/display-names.ts";
import type { Decision, DecisionBasis } from "./decide/decision.ts";
import { isRemovedBeforeWrites, dependentsThatStay, usersText } from "../remove/dependents.ts";
import {
  MIRROR_WORDS,
  countAllowedDeletes,
  blockRemoval,
  exceedsMaxDelete,
  tooManyDeletesText,
  type MirrorBasis,
} from "../remove/mirror.ts";
import type { Base } from "../../core/plan/base.ts";
import { isSelected } from "../../core/records/record-filter.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { isAsSettled } from "../../references/compare.ts";
import { partsOfTarget, referencesInParts } from "../../references/parts.ts";

/** Returns the keys of the records that are deleted, and of those that are deleted before all other writes. */
export function removedKeys(removals: readonly Removal[]): Pick<DecisionBasis, "removed" | "removedFirst"> {
  const deleted = removals.filter(({ action }) => action === "delete");
  return {
    removed: new Set(deleted.map(targetKey)),
    removedFirst: new Set(deleted.filter(isRemovedBeforeWrites).map(targetKey)),
  };
}

/**
 * Blocks removals that would break other records: if a record stays and references the removed one, the removal is blocked
 * (`in-use`). Of records that the run writes, the references that they will have count.
 */
export function planRemovals(
  removals: readonly Removal[],
  decisions: readonly Decision[],
  { inventory, bases, missing }: Pick<DecisionBasis, "inventory" | "bases" | "missing">,
  mirror: MirrorBasis,
): { readonly mirror: PlannedMirror; readonly warnings: readonly Warning[] } {
  const { force = false, words = MIRROR_WORDS } = mirror;
  const checkedRemovals = force ? removals : blockUsed(removals, decisions, inventory, words);
  const of = shareOf(inventory, [...bases, ...missing], mirror);
  const planned = { removals: checkedRemovals, of, allowed: countAllowedDeletes(mirror.maxDelete, of), force };
  const warnings = [
    ...(exceedsMaxDelete(planned) ? [tooManyWarning(planned)] : []),
    ...warnOfLostDependents(checkedRemovals, inventory),
  ];
  return { mirror: planned, warnings };
}

/** Warns of each record that stays, and from which the run deletes what belongs to it, such as the alerts on a dashboard. */
function warnOfLostDependents(removals: readonly Removal[], inventory: Inventory): Warning[] {
  const find = recordFinder(inventory);
  const staying = new Map(
    removals.flatMap((removal) => {
      const record = removal.action === "delete" ? undefined : find(removal.kind, removal.targetId);
      return record === undefined ? [] : [[keyOfRecord(record), record] as const];
    }),
  );
  const lost = removals.flatMap((removal) => {
    if (removal.action !== "delete" || removal.targetRecord === undefined) return [];
    const hosts = hostKeysOf(knownKind(removal.kind), removal.targetRecord.body);
    return hosts.flatMap((host) => (staying.has(host) ? [{ host, removal }] : []));
  });
  return [...groupBy(lost, ({ host }) => host)].flatMap(([host, of]): Warning[] => {
    const record = staying.get(host);
    if (record === undefined) return [];
    const names = joinNames(of, MAX_NAMED, ({ removal: { kind, targetId: id, name, displayName } }) =>
      nameOfRecord({ kind, id, name, ...(displayName !== undefined && { displayName }) }),
    );
    const message = `${nameOfRecord(record)} stays, and what belongs to it is deleted: ${names}`;
    return [{ code: "would-delete-alerts", message }];
  });
}

/** Blocks the removals of records that a staying record references. */
function blockUsed(
  removals: readonly Removal[],
  decisions: readonly Decision[],
  inventory: Inventory,
  { why, later }: typeof MIRROR_WORDS,
): Removal[] {
  const byTarget = new Map(
    decisions.flatMap((decision) =>
      decision.targetId === undefined ? [] : [[recordKey(decision.kind.name, decision.targetId), decision] as const],
    ),
  );
  const usedBy = (record: StackRecord): RecordKey[] => {
    const decision = byTarget.get(keyOfRecord(record));
    if (decision?.action === "update") return linksOfKeptParts(decision, record);
    // A record that is kept or blocked keeps its links, whatever the archive has in their place.
    return neededBy(record, decision?.action === "unchanged" ? decision.record : undefined);
  };
  const deleted = new Set(removals.filter(({ action }) => action === "delete").map(targetKey));
  if (deleted.size === 0) return [...removals];
  const dependents = dependentsThatStay(inventory, deleted, usedBy);
  const writtenUsers = usersAmongWrites(decisions);
  return removals.map((removal): Removal => {
    const key = targetKey(removal);
    const users = [...(dependents.get(key) ?? []), ...(writtenUsers.get(key) ?? [])];
    if (removal.action !== "delete" || users.length === 0) return removal;
    const message = `${why}, but ${usersText(users)} to it; ${later}`;
    return blockRemoval(removal, { code: "in-use", message });
  });
}

/** Lists the records to which the parts of a record link that a merge leaves as they are on the target. */
function linksOfKeptParts({ kind, kept = [] }: Decision, { body }: StackRecord): RecordKey[] {
  if (kept.length === 0) return [];
  const parts = partsOfTarget(kind, body).filter(({ key }) => kept.some((part) => part.key === key));
  return referencesInParts(kind, body, parts).flatMap(({ record }) => record ?? []);
}

/** Finds, for each record of the target, the records that the run writes and that need it. */
function usersAmongWrites(decisions: readonly Decision[]): ReadonlyMap<RecordKey, readonly string[]> {
  const uses = decisions
    .filter(willWrite)
    .flatMap(({ record }) => neededBy(record, record).map((to) => ({ to, by: nameOfRecord(record) })));
  return new Map([...groupBy(uses, ({ to }) => to)].map(([to, of]) => [to, of.map(({ by }) => by)]));
}

/**
 * Lists the records that a record needs. Deferrable links that the archive's record has, too, do not count, because they already
 * dangle at the source.
 */
function neededBy({ kind: name, body }: StackRecord, archived: StackRecord | undefined): RecordKey[] {
  const referencesIn = (each: JsonObject) => findReferences(knownKind(name), each, new Map());
  const dangling = new Set(
    archived === undefined
      ? []
      : referencesIn(archived.body).flatMap(({ pointer, deferrable }) => (deferrable ? pointer : [])),
  );
  return referencesIn(body).flatMap(({ record, pointer }) =>
    record === undefined || dangling.has(pointer) ? [] : [record],
  );
}

/**
 * Counts the dashboards and alerts that the journal knows and that are still on the target. With the scope `all`, counts all dashboards and
 * alerts of the target.
 */
function shareOf(inventory: Inventory, known: readonly [RecordKey, Base][], { scope }: MirrorBasis): number {
  const targetRecords = MIRRORED_KINDS.flatMap(({ name }) => inventory.kinds.get(name)?.records ?? []);
  if (scope === "all") return targetRecords.length;
  const keys = new Set(targetRecords.map(({ kind, id }) => foldedKey(kind, id)));
  return known.filter(([key, { targetId }]) => keys.has(foldedKey(splitKey(key)[0], targetId))).length;
}

function tooManyWarning(planned: PlannedMirror): Warning {
  return {
    code: "not-mirrored",
    message: `${tooManyDeletesText(planned)}: the import would be refused (--max-delete)`,
  };
}

/** The kinds of which a mirror with the scope `all` deletes every record that the source lacks. */
const MIRRORED_KINDS = kinds.filter(({ importPolicy }) => importPolicy.when === "always");

/** The input of the search for removals. The archive also has the records that are not imported. */
interface RemovalBasis extends Pick<
  DecisionBasis,
  "archive" | "inventory" | "options" | "matching" | "transformed" | "bases" | "missing"
> {
  readonly mirror: MirrorBasis;
}

/**
 * Finds the target's records that the source no longer has, if the journal shows that an import wrote them and nobody has changed
 * them since. With the scope `all`, also finds every dashboard and alert of the target that is not in the archive. Ignores whether
 * other records use the found records. Sends no request.
 */
export function findRemovals(basis: RemovalBasis): { readonly removals: Removal[]; readonly warnings: Warning[] } {
  const search = new RemovalSearch(basis);
  const removals = search.findAll();
  return { removals, warnings: search.warnings() };
}

/** A record of the target with what the journal knows of it. */
interface RemovalCandidate {
  readonly kind: ResourceKind;
  /** The id or key that the source had for the record. */
  readonly sourceId: string;
  /** The record's id on the target; the id in the journal if the target no longer has the record. */
  readonly targetId: string;
  /** The record's name, from the same place as `targetId`. */
  readonly name: string;
  readonly base: Base | undefined;
  readonly targetRecord: StackRecord | undefined;
}

/** The action for a candidate, and the reason if the record is not deleted. */
type Verdict = Pick<Removal, "action" | "code" | "message">;

class RemovalSearch {
  readonly #basis: RemovalBasis;
  /** Keys of the target's records that are matched with a record of the archive (`#paired`), or may match one (`#possible`). */
  readonly #paired: ReadonlySet<string>;
  readonly #possible: ReadonlySet<string>;
  /** For each kind that the archive may not hold completely: the number of records that are therefore not deleted. */
  readonly #notDeleted = new Map<KindName, number>();

  constructor(basis: RemovalBasis) {
    const { matching } = basis;
    this.#basis = basis;
    this.#paired = new Set(
      [...matching.ids].flatMap(({ space, to }) => (space.includes("/") ? [] : [foldedKey(space, to)])),
    );
    const ambiguous = [...matching.pairs.values()].flatMap((of) => [...of.ambiguous.values()].flat());
    this.#possible = new Set(ambiguous.map(({ kind, id }) => foldedKey(kind, id)));
  }

  findAll(): Removal[] {
    if (this.#basis.mirror.isOlder === true) return [];
    const known = this.#knownCandidates();
    const judge =
      this.#basis.mirror.force === true
        ? (): Verdict => ({ action: "delete" })
        : (candidate: RemovalCandidate): Verdict => judgeOurs(candidate, this.#basis);
    if (this.#basis.mirror.scope === "ours") return this.#removalsAmong(known, judge);
    const knownByTarget = new Map(known.map((candidate) => [foldedTarget(candidate), candidate]));
    const listed = MIRRORED_KINDS.flatMap((kind) => this.#listedCandidates(kind)).map(
      (candidate) => knownByTarget.get(foldedTarget(candidate)) ?? candidate,
    );
    const others = known.filter(
      ({ kind, targetRecord }) => kind.importPolicy.when !== "always" || targetRecord === undefined,
    );
    return [...this.#removalsAmong(listed, () => ({ action: "delete" })), ...this.#removalsAmong(others, judge)];
  }

  warnings(): Warning[] {
    const { hasJournal, isOlder, scope } = this.#basis.mirror;
    if (isOlder === true) {
      return [notMirrored("a newer archive was imported before, so nothing is deleted; mirror the newest one")];
    }
    const unknown =
      hasJournal || scope === "all" || !this.#hasOthers()
        ? []
        : [notMirrored("no journal tells which records an import wrote, so nothing is deleted; the next run can")];
    const notDeleted = [...this.#notDeleted].map(([kind, count]) =>
      notMirrored(
        `the archive may lack some ${kind} of its source, so the ${count} that only the target has are not deleted; use a complete export`,
      ),
    );
    return [...unknown, ...notDeleted];
  }

  /** Tells whether the target has dashboards or alerts that the run asks for, and that are no counterpart of a record. */
  #hasOthers(): boolean {
    return MIRRORED_KINDS.flatMap((kind) => this.#listedCandidates(kind)).some(
      (candidate) => !this.#paired.has(foldedTarget(candidate)) && this.#isAsked(candidate),
    );
  }

  /** Lists the records that the journal knows and the source no longer has. */
  #knownCandidates(): RemovalCandidate[] {
    const { missing, inventory } = this.#basis;
    const findTarget = recordFinder(inventory);
    // The source may have had a record under several ids, one after another.
    const oursLast = [...missing].toSorted(([, one], [, other]) => Number(one.ours) - Number(other.ours));
    const byTarget = new Map(oursLast.map(([key, { targetId }]) => [foldedKey(splitKey(key)[0], targetId), key]));
    const named = new Set(byTarget.values());
    return [...missing].flatMap(([key, base]): RemovalCandidate[] => {
      if (!named.has(key)) return [];
      const [name, sourceId] = splitKey(key);
      const kind = findKind(name);
      if (kind === undefined) return [];
      const targetRecord = findTarget(kind.name, base.targetId);
      const { id: targetId, name: targetName } = targetRecord ?? { ...base, id: base.targetId };
      return [{ kind, sourceId, targetId, name: targetName, base, targetRecord }];
    });
  }

  #listedCandidates(kind: ResourceKind): RemovalCandidate[] {
    const { inventory, bases, options, transformed } = this.#basis;
    const inSource = new Set([...bases].map(([key, { targetId }]) => foldedKey(splitKey(key)[0], targetId)));
    const { namePrefix = "" } = options.naming;
    const unmatched = (inventory.kinds.get(kind.name)?.records ?? []).filter(
      ({ id, name }) =>
        !inSource.has(foldedKey(kind.name, id)) &&
        name.startsWith(namePrefix) &&
        !transformed.leftOutNames.has(`${kind.name} ${name}`),
    );
    return unmatched.map((record) => {
      const { id, name } = record;
      return { kind, sourceId: id, targetId: id, name, base: undefined, targetRecord: record };
    });
  }

  #removalsAmong(candidates: readonly RemovalCandidate[], judge: (candidate: RemovalCandidate) => Verdict): Removal[] {
    return candidates.flatMap((candidate) => this.#removalOf(candidate, judge) ?? []);
  }

  /** Decides on a candidate. Undefined if this run does not ask for the removal, or if the source may still have the record. */
  #removalOf(candidate: RemovalCandidate, judge: (candidate: RemovalCandidate) => Verdict): Removal | undefined {
    const { kind, sourceId, targetId, name, targetRecord } = candidate;
    const { inventory, mirror } = this.#basis;
    if (this.#paired.has(foldedTarget(candidate)) || !this.#isAsked(candidate)) return undefined;
    const displayName = targetRecord && displayNameMember(targetRecord, recordFinder(inventory));
    const isKnown = candidate.base !== undefined;
    const removal = { kind: kind.name, sourceId, name, ...displayName, targetId, isKnown };
    if (targetRecord === undefined) {
      return inventory.kinds.get(kind.name)?.status === "complete" ? { ...removal, ...GONE } : undefined;
    }
    if (!mirror.whole.has(kind.name)) {
      this.#notDeleted.set(kind.name, (this.#notDeleted.get(kind.name) ?? 0) + 1);
      return undefined;
    }
    if (this.#possible.has(foldedTarget(candidate))) return { ...removal, ...MAY_BE_WANTED };
    if (kind.routes[inventory.stack.variant].delete === undefined) return { ...removal, ...NOT_OFFERED };
    const verdict = judge(candidate);
    return { ...removal, ...verdict, ...(verdict.action === "delete" && { targetRecord }) };
  }

  /** Tells whether `--kinds`, `--include` and `--exclude` select the record, by any of its known names. */
  #isAsked(candidate: RemovalCandidate): boolean {
    const { kind, sourceId, base, targetRecord } = candidate;
    const { kinds: requestedKinds, filter } = this.#basis.options;
    if (requestedKinds.length > 0 && !requestedKinds.includes(kind.name)) return false;
    const names = [base?.name, base?.sourceName, targetRecord?.name].filter((name) => name !== undefined);
    const called = names.map((name): StackRecord => ({ kind: kind.name, id: sourceId, name, body: {} }));
    return (
      called.some((record) => isSelected(record, { ...filter, exclude: [] })) &&
      [...called, ...this.#namedHosts(candidate)].every((record) =>
        isSelected(record, { include: [], exclude: filter.exclude }),
      )
    );
  }

  /** Lists the records, on both sides, that a record without a name belongs to. It is excluded together with them. */
  #namedHosts({ kind, targetRecord }: RemovalCandidate): StackRecord[] {
    if (targetRecord === undefined || targetRecord.name.trim() !== "") return [];
    const { archive, inventory, matching } = this.#basis;
    const findTarget = recordFinder(inventory);
    return hostKeysOf(kind, targetRecord.body).flatMap((key) => {
      const [hostKind, id] = splitKey(key);
      const archived = archive.byKey.get(recordKey(hostKind, matching.ids.sourceOf(hostKind, id) ?? ""));
      return [findTarget(hostKind, id), archived].filter((host) => host !== undefined);
    });
  }
}

function foldedTarget({ kind, targetId }: RemovalCandidate): string {
  return foldedKey(kind.name, targetId);
}

/** Decides whether to delete a record that the journal knows. It stays if no import wrote it, or if somebody has changed it since. */
function judgeOurs({ kind, base, targetRecord }: RemovalCandidate, { mirror }: Pick<RemovalBasis, "mirror">): Verdict {
  if (base === undefined || !base.ours) return keep(NOT_OURS);
  if (targetRecord === undefined) return { action: "delete" };
  return mirror.takesEdited === true || isAsSettled(partsOfTarget(kind, targetRecord.body), base)
    ? { action: "delete" }
    : keep(EDITED);
}

function keep(message: string): Verdict {
  return { action: "skip", code: "kept", message };
}

const NOT_OURS =
  "gone from the archive, but it is not of an import: it was on the target before, or an undo made it again; delete it by hand if nobody needs it";
const EDITED =
  "gone from the archive, but somebody changed it on the target since the last run; --on-conflict overwrite deletes it";
const GONE = { action: "unchanged", code: "gone", message: "is gone from the archive and from the target" } as const;
const MAY_BE_WANTED = keep("an unmatched record of the archive could be the same; name it in a map file");
const NOT_OFFERED = keep("gone from the archive, but the API does not offer to delete it; delete it by hand");

function notMirrored(why: string): Warning {
  return { code: "not-mirrored", message: `--mirror: ${why}` };
}
