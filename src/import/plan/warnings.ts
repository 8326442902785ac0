import { groupBy } from "../../core/collections.ts";
import type { Warning } from "../../core/outcome.ts";
import { memberPathOf, parsePointer, formatPointer, withoutPath } from "../../core/records/member-path.ts";
import { MAX_NAMED, MAX_NAMED_TO_CHECK, joinNames, pluralize } from "../../core/text/format.ts";
import { recordFinder, type Inventory } from "../../matching/inventory.ts";
import { isAlwaysWritten } from "../../kinds/registry.ts";
import { foldIds } from "../../references/known-ids.ts";
import { unseenMembers } from "./decide/lacked-members.ts";
import { warnOfShortLived } from "./variant-rules.ts";
import type { IdMap } from "../../core/plan/id-map.ts";
import { findReferences, hostReferencesOf, rewriteReferences } from "../../references/references.ts";
import { withDistinctItems } from "../write-body.ts";
import type { ReferenceNotes, PlanBasis } from "./resolve-references.ts";
import { warnOfDeadLinks } from "./dead-links.ts";
import { warnOfExposedSecrets } from "./decide/missing-secrets.ts";
import { warnOfOverlaps } from "./overlaps.ts";
import { warnOfOmittedDependents, warnOfAddedDependencies } from "./include-dependents.ts";
import { warnOfHiddenLoss, type HiddenContentLoss } from "./update-losses.ts";
import type { PlanItem } from "../../core/plan/plan.ts";
import { willWrite, decisionKey, type Decision } from "./decide/decision.ts";
import { recordKey, type RecordKey, type StackRecord, labelOf } from "../../core/records/record.ts";
import { nameOfRecord } from "../../kinds/nouns.ts";
import { childrenWithIds, substitutesIn } from "../../references/hidden-content.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { translatedBody } from "../../matching/pair-kind.ts";
import { recordFingerprint } from "../../references/record-content.ts";
import type { Matching } from "../../matching/match-all.ts";

/** The findings of planning, besides the decisions and their basis. */
interface Findings {
  /** The items, without items that are only matched if the run takes only a part of the archive. */
  readonly items: readonly PlanItem[];
  readonly notes: ReadonlyMap<RecordKey, ReferenceNotes>;
  readonly loss: HiddenContentLoss;
}

/** Makes the warnings that follow from the decisions. */
export function planWarnings(basis: PlanBasis, { items, notes, loss }: Findings): Warning[] {
  const { archive, inventory, matching, options, suppliedSecrets } = basis;
  const decisions = [...basis.decisions.values()];
  return [
    ...warnOfOmittedDependents(archive, options),
    ...warnOfAddedDependencies(archive, options),
    ...warnOfDeadLinks(decisions, items, basis),
    ...probableRenames(decisions, basis),
    ...probableMoves(decisions, basis),
    ...createdBeside(decisions, matching),
    ...warnOfFormerCounterparts(basis),
    ...[...notes.values()].flatMap(({ warnings }) => warnings),
    ...decisions.flatMap(warnOfAssumed),
    ...decisions.flatMap(warnOfLacked),
    ...decisions.flatMap((decision) => [
      ...warnOfKept(decision),
      ...warnOfMerged(decision, basis.ids),
      ...warnOfShortLived(decision, basis),
    ]),
    ...warnOfUnseen(decisions, inventory),
    ...decisions.flatMap(warnOfConflicts),
    ...decisions.flatMap((decision) => warnOfOverlaps(decision, basis)),
    ...warnOfSubstitutes(decisions, basis),
    ...warnOfSilenced(decisions),
    ...warnOfHiddenLoss(decisions, loss),
    ...decisions.flatMap((decision) => warnOfExposedSecrets(decision, suppliedSecrets)),
  ];
}

/**
 * Warns of members that updates would set and no record of the target has: an older release may drop them. Leaves out kinds that
 * the target can validate, because its verdict is certain.
 */
function warnOfUnseen(decisions: readonly Decision[], inventory: Inventory): Warning[] {
  const unseen = decisions.flatMap(({ action, kind, record, replaces }) => {
    if (action !== "update" || replaces === undefined) return [];
    if (kind.routes[inventory.stack.variant].validate !== undefined) return [];
    return unseenMembers(kind, record.body, replaces.body, inventory).map((pointer) => ({ kind, record, pointer }));
  });
  return [
    ...groupBy(unseen, ({ kind, pointer }) => `${kind.name} ${memberPathOf(parsePointer(pointer))}`).values(),
  ].map((of) => {
    const [{ kind, pointer } = { kind: undefined, pointer: "" }] = of;
    const recordNames = joinNames(of, MAX_NAMED, ({ record }) => `"${labelOf(record)}"`);
    const message = `no ${kind?.singular} of the target shows this member, so the target may drop it; look at it there after the import: ${recordNames}`;
    return { code: "may-not-keep", message, pointer };
  });
}

/** Makes a warning for each value that is written although the source's answer did not contain it. */
function warnOfAssumed({ action, kind, record }: Decision): Warning[] {
  if (!willWrite({ action })) return [];
  return (kind.assumed?.(record.body) ?? []).map(({ pointer, value }) => {
    const message = `${nameOfRecord(record)} has no language here, which a write requires; it is written as ${value}`;
    return { code: "language-assumed", message, pointer };
  });
}

/** Makes a warning for each member that the target's record lacks because the target drops this member. */
function warnOfLacked({ kind, record, lacked = [], isAnnounced }: Decision): Warning[] {
  const why =
    isAnnounced === true
      ? "and the target says that it would drop it"
      : `like all of its ${kind.name}; the target probably drops it`;
  const message = `the target's ${kind.singular} "${record.name}" lacks this member, ${why}`;
  return lacked.map((pointer) => ({ code: "not-kept", message, pointer }));
}

/** Makes a warning for each member that only the target's record has and that the update does not remove. */
function warnOfKept({ action, kind, record, replaces }: Decision): Warning[] {
  if (action !== "update" || replaces === undefined) return [];
  const keptMembers = (kind.keptOnUpdate ?? []).filter(
    (member) => (replaces.body[member] ?? null) !== null && (record.body[member] ?? null) === null,
  );
  const message = `an update cannot remove this member of ${nameOfRecord(record)}, so the target keeps it; remove it by hand`;
  return keptMembers.map((member) => ({ code: "cannot-remove", message, pointer: formatPointer([member]) }));
}

/** Makes a warning for each list that becomes shorter, because several of its items point to the same record on the target. */
function warnOfMerged(decision: Decision, ids: IdMap): Warning[] {
  const { kind, record } = decision;
  if (!willWrite(decision) || kind.distinctItems === undefined) return [];
  const references = findReferences(kind, record.body, new Map());
  const mapped = rewriteReferences(record.body, references, ids, new Map());
  const distinct = withDistinctItems(kind, mapped);
  const message = `several of these ids map to one record of the target, so ${nameOfRecord(record)} is written with it once`;
  return Object.keys(kind.distinctItems)
    .filter((member) => distinct[member] !== mapped[member])
    .map((member) => ({ code: "merged", message, pointer: formatPointer([member]) }));
}

/**
 * Warns of probable renames: a record that would be created differs from a record of the target only in the name. Without a state
 * this is a guess, so no decision changes.
 */
function probableRenames(decisions: Iterable<Decision>, basis: PlanBasis): Warning[] {
  return twinsOfCreated(decisions, basis, namelessPrint).map(({ record, twin: { id, name } }) => {
    const message = `${nameOfRecord(record)} would be created, but the target's "${name}" (${id}), which the state does not list, differs only in its name; if it is the same, name it in a map file to update it`;
    return { code: "probable-rename", message };
  });
}

/**
 * Warns of alerts that somebody has probably moved: an alert that would be created has the same name as an alert on another tile of
 * the same dashboard, or the same name and content as one on another dashboard. Alerts without a name are compared by content, and
 * only on the same dashboard.
 */
function probableMoves(decisions: readonly Decision[], basis: PlanBasis): Warning[] {
  // No warning about an alert that the state lists: it was not moved. The source now has two alerts of this name, and the state
  // tells which of them it is.
  const listed = new Set([...basis.recordStates.values()].map(({ targetId }) => targetId));
  const warnOf = (twins: readonly Twin[], where: string): Warning[] =>
    twins
      .filter(({ twin }) => !listed.has(twin.id))
      .map(({ kind, record, twin: { id } }) => {
        const message = `${nameOfRecord(record)} is created as a second one: the target has a like ${kind.singular}, ${id}, on another ${where}; if it is the same, name it in a map file to move it`;
        return { code: "created-beside", message };
      });
  const onSameOwner = twinsOfCreated(decisions, basis, nameAndOwner);
  const warned = new Set(onSameOwner.map(({ record }) => record));
  const others = decisions.filter(({ record }) => !warned.has(record));
  return [
    ...warnOf(onSameOwner, "tile of the dashboard"),
    ...warnOf(twinsOfCreated(others, basis, nameAndRest), "dashboard or saved search"),
  ];
}

interface Twin {
  readonly kind: ResourceKind;
  /** The record that would be created. */
  readonly record: StackRecord;
  /** A record of the target that matches no record of the archive and that no state lists. */
  readonly twin: StackRecord;
}

/**
 * Finds records of the target that are probably the same as records that would be created, and that no state lists.
 * @param likeness returns a text that is equal for two such records; undefined for a record that is not compared
 */
function twinsOfCreated(
  decisions: Iterable<Decision>,
  basis: PlanBasis,
  likeness: (kind: ResourceKind, body: JsonObject) => string | undefined,
): Twin[] {
  const { options, inventory, ids, journaled, recordStates } = basis;
  const taken = new Set([...ids].map(({ space, to }) => recordKey(space, to)));
  const candidates = [...decisions].filter((decision) => {
    const key = decisionKey(decision);
    return decision.action === "create" && !journaled.has(key) && !recordStates.has(key) && isRenamable(decision.kind);
  });
  // With a name prefix or `onConflict: duplicate`, records are meant to exist twice.
  if (options.naming.namePrefix !== undefined || options.onConflict === "duplicate") return [];
  return [...groupBy(candidates, ({ kind }) => kind)].flatMap(([kind, of]) => {
    const free = (inventory.kinds.get(kind.name)?.records ?? []).filter(
      ({ id }) => !taken.has(recordKey(kind.name, id)),
    );
    if (free.length === 0) return [];
    const alike = groupBy(free, ({ body }) => likeness(kind, body));
    return of.flatMap(({ record }): Twin[] => {
      const key = likeness(kind, translatedBody(kind, record, basis));
      const [twin] = key === undefined ? [] : (alike.get(key) ?? []);
      return twin === undefined ? [] : [{ kind, record, twin }];
    });
  });
}

function isRenamable({ importPolicy, nameFields }: ResourceKind): boolean {
  return importPolicy.when === "always" && nameFields.name !== undefined;
}

/**
 * Identifies a record that watches a child: by the owner of the child and by the record's name. If the record has no name, all
 * content except the child counts instead of the name. Undefined if the record watches no child.
 */
function nameAndOwner(kind: ResourceKind, body: JsonObject): string | undefined {
  const watched = findReferences(kind, body, new Map()).find(({ space }) => space.includes("/"));
  if (watched?.record === undefined) return undefined;
  const name = kind.nameOf(body).trim();
  return `${watched.record}\n${name || recordFingerprint(kind, withoutPath(body, memberPathOf(watched.tokens)))}`;
}

/**
 * Identifies a record by its name and by all content except the references to the records that it lives on. Undefined for a record
 * without a name or without such references.
 */
function nameAndRest(kind: ResourceKind, body: JsonObject): string | undefined {
  const name = kind.nameOf(body).trim();
  const hosts = hostReferencesOf(kind, body);
  if (name === "" || hosts.length === 0) return undefined;
  const rest = hosts.reduce((copy, { tokens }) => withoutPath(copy, memberPathOf(tokens)), body);
  return `${name}\n${recordFingerprint(kind, rest)}`;
}

/** Makes a digest of all compared content except the name. */
function namelessPrint(kind: ResourceKind, body: JsonObject): string {
  return recordFingerprint(kind, withoutPath(body, kind.nameFields.name ?? "name"));
}

/** Names the target's records that have this record's name but keep their data in another place, as a part of a sentence. */
export function otherPlacesText(
  kind: ResourceKind,
  { id }: StackRecord,
  { pairs }: Pick<Matching, "pairs">,
): string | undefined {
  const records = pairs.get(kind.name)?.elsewhere.get(id);
  if (records === undefined) return undefined;
  const recordNames = joinNames(records, MAX_NAMED, ({ id: targetId, name }) => `"${name}" (${targetId})`);
  const verb = records.length === 1 ? "has" : "have";
  return `the target's ${recordNames} ${verb} its data on another host, or in another database or table`;
}

/** Warns of created records if the target has a record with the same name whose data is in another place. */
function createdBeside(decisions: Iterable<Decision>, matching: Pick<Matching, "pairs">): Warning[] {
  return [...decisions].flatMap(({ kind, record, action }) => {
    const others = action === "create" ? otherPlacesText(kind, record, matching) : undefined;
    if (others === undefined) return [];
    const message = `${nameOfRecord(record)} is created as a second one: ${others}; if it is the same, name it in a map file`;
    return [{ code: "created-beside", message }];
  });
}

/**
 * Warns of each record of the target that an earlier import wrote, and that is no longer the counterpart of its record because the
 * map file names another one. No import writes or deletes the former counterpart any more.
 */
function warnOfFormerCounterparts({ matching, inventory, ids, journaled, recordStates }: PlanBasis): Warning[] {
  const find = recordFinder(inventory);
  return matching.matches.flatMap(({ space, from, to, name, targetName, rule }) => {
    if (rule !== "map-file" || !isAlwaysWritten(space)) return [];
    const key = recordKey(space, from);
    const formerId = (recordStates.get(key) ?? journaled.get(key))?.targetId;
    const former = formerId === undefined ? undefined : find(space, formerId);
    if (former === undefined || foldIds(former.id) === foldIds(to) || ids.sourceOf(space, former.id)) return [];
    const pair = `${nameOfRecord({ kind: space, id: from, name })} with "${targetName}" (${to})`;
    const message = `the map file pairs ${pair}, and leaves its former counterpart "${former.name}" (${former.id}) as it is; delete that one by hand if nobody needs it`;
    return [{ code: "map-entry-moved", message }];
  });
}

/**
 * Warns of records whose charts replace tiles that the source's API cannot show: the written records have ordinary charts in these
 * places (docs/api.md#hidden-tiles).
 */
function warnOfSubstitutes(decisions: readonly Decision[], { from, substitutes: marked }: PlanBasis): Warning[] {
  if (from === undefined && marked.size === 0) return [];
  return decisions.filter(willWrite).flatMap(({ record }): Warning[] => {
    const substitutes = from === undefined ? childrenWithIds(record, marked) : substitutesIn(record, from);
    if (substitutes.length === 0) return [];
    const tileNames = joinNames(substitutes, MAX_NAMED_TO_CHECK, (name) => `"${name}"`);
    const message = `${nameOfRecord(record)} is written with a chart in the place of ${pluralize(substitutes.length, "tile")} that the API of the source cannot show: ${tileNames}; look at the originals on the source and create them again by hand`;
    return [{ code: "substitute-tiles", message }];
  });
}

/** Makes a warning for created records that lose a state which no write can set (docs/api.md#alerts). */
function warnOfSilenced(decisions: readonly Decision[]): Warning[] {
  const silenced = decisions.filter(
    ({ action, kind, record }) => action === "create" && kind.isSilenced?.(record.body) === true,
  );
  return [...groupBy(silenced, ({ kind }) => kind)].map(([kind, ofKind]) => {
    const recordNames = joinNames(ofKind, MAX_NAMED_TO_CHECK, ({ record }) => `"${labelOf(record)}"`);
    const message = `${pluralize(ofKind.length, kind.singular)} silenced on the source will notify at once, because a write cannot silence; silence them by hand: ${recordNames}`;
    return { code: "silenced", message };
  });
}

/** Makes a warning that names the parts which differ from the archive and which a merge leaves as on the target. */
function warnOfConflicts({ record, conflicts }: Decision): Warning[] {
  if (conflicts === undefined || conflicts.labels.length === 0) return [];
  const names = joinNames(conflicts.labels, MAX_NAMED_TO_CHECK, (label) => label);
  const why = conflicts.hasBase ? "were changed on both sides" : "differ";
  const message = `parts of ${nameOfRecord(record)} ${why} and are left as on the target (--on-conflict update overwrites them): ${names}`;
  return [{ code: "merge-conflict", message }];
}
