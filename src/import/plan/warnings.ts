import { groupBy } from "../../core/collections.ts";
import { isJsonArray, isJsonObject, objectsIn, type JsonObject } from "../../core/json.ts";
import type { Warning } from "../../core/outcome.ts";
import { qualifiedChildId } from "../../core/plan/id-map.ts";
import { willWrite } from "../../core/plan/plan.ts";
import { formatPointer } from "../../core/records/member-path.ts";
import { keyOfRecord, labelOf, recordKey, splitKey, type StackRecord } from "../../core/records/record.ts";
import type { ChildIds, ResourceKind } from "../../core/resource-kind.ts";
import { MAX_NAMED, MAX_NAMED_TO_CHECK, joinNames, pluralize } from "../../core/text/format.ts";
import { nameOfChild, nameOfRecord, nounOf } from "../../kinds/nouns.ts";
import { findKind, knownKind } from "../../kinds/registry.ts";
import { recordFinder, recordsOf } from "../../matching/inventory.ts";
import type { Matching } from "../../matching/match-all.ts";
import { childIdOf, childrenOf } from "../../references/children.ts";
import { childrenWithIds, substitutesIn } from "../../references/hidden-content.ts";
import { foldIds, makeKnownId } from "../../references/known-ids.ts";
import { partDigest, partsOfTarget } from "../../references/parts.ts";
import { findReferences } from "../../references/references.ts";
import { adviceIn, type Decision, type PlanBasis } from "./decide/decision.ts";
import { warnOfExposedSecrets } from "./decide/missing-secrets.ts";
import { isPartialImport, warnOfOmittedDependents } from "./selection.ts";
import type { Resolution } from "./resolve-references.ts";
import { warnOfHiddenLoss } from "./update-losses.ts";
import { warnOfShortLived } from "./variant-rules.ts";

export function planWarnings(basis: PlanBasis, resolutions: Iterable<Resolution>): Warning[] {
  const { archive, matching, options, suppliedSecrets, loss } = basis;
  const decisions = [...basis.decisions.values()];
  return [
    ...warnOfOmittedDependents(archive, options, ({ kind, id }) =>
      basis.target.has(kind, basis.ids.get(kind, id) ?? ""),
    ),
    ...warnOfDeadLinks(basis),
    ...createdBeside(decisions, matching),
    ...warnOfUnfinished(basis),
    ...warnOfNoJournal(decisions, basis),
    ...[...resolutions].flatMap(({ warnings }) => warnings),
    ...decisions.flatMap(warnOfAssumed),
    ...decisions.flatMap((decision) => [
      ...warnOfKept(decision),
      ...warnOfMerged(decision, basis),
      ...warnOfShortLived(decision, basis),
    ]),
    ...decisions.flatMap((decision) => warnOfOverlaps(decision, basis)),
    ...warnOfSubstitutes(decisions, basis),
    ...warnOfSilenced(decisions),
    ...warnOfHiddenLoss(decisions, loss),
    ...decisions.flatMap((decision) => warnOfExposedSecrets(decision, suppliedSecrets)),
  ];
}

/** Without a journal, nothing tells which side has changed a record. */
function warnOfNoJournal(decisions: readonly Decision[], { bases, missing }: PlanBasis): Warning[] {
  const differs = ({ replaces, kept = [] }: Decision): boolean => replaces !== undefined || kept.length > 0;
  if (bases.size + missing.size > 0 || !decisions.some(differs)) return [];
  const message =
    "no earlier run of this pair is known: nobody can say which side has changed a record that differs, and a record that was renamed is made anew";
  return [{ code: "no-journal", message }];
}

function warnOfAssumed({ action, kind, record }: Decision): Warning[] {
  if (!willWrite({ action })) return [];
  return (kind.assumed?.(record.body) ?? []).map(({ pointer, value }) => {
    const message = `${nameOfRecord(record)} has no language here, which a write requires; it is written as ${value}`;
    return { code: "fitted", message, pointer };
  });
}

function warnOfKept({ action, kind, record, replaces }: Decision): Warning[] {
  if (action !== "update" || replaces === undefined) return [];
  const keptMembers = (kind.keptOnUpdate ?? []).filter(
    (member) => (replaces.body[member] ?? null) !== null && (record.body[member] ?? null) === null,
  );
  const message = `an update cannot remove this member of ${nameOfRecord(record)}, so the target keeps it; remove it by hand`;
  return keptMembers.map((member) => ({ code: "not-stored", message, pointer: formatPointer([member]) }));
}

function warnOfMerged(decision: Decision, { bodies }: PlanBasis): Warning[] {
  const { kind, record } = decision;
  if (!willWrite(decision) || kind.distinctItems === undefined) return [];
  const { desired } = bodies.of(keyOfRecord(record));
  const message = `several of these ids map to one record of the target, so ${nameOfRecord(record)} is written with it once`;
  return Object.keys(kind.distinctItems)
    .filter((member) => objectsIn(desired[member]).length < objectsIn(record.body[member]).length)
    .map((member) => ({ code: "fitted", message, pointer: formatPointer([member]) }));
}

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

function createdBeside(decisions: readonly Decision[], matching: Pick<Matching, "pairs">): Warning[] {
  return decisions.flatMap(({ kind, record, action }) => {
    const others = action === "create" ? otherPlacesText(kind, record, matching) : undefined;
    if (others === undefined) return [];
    const message = `${nameOfRecord(record)} is created as a second one: ${others}; if it is the same, name it in a map file`;
    return [{ code: "created-beside", message }];
  });
}

/** No import of this archive sets the links of a record that the source no longer has. */
function warnOfUnfinished({ missing, inventory }: PlanBasis): Warning[] {
  const find = recordFinder(inventory);
  return [...missing].flatMap(([key, { targetId, lacksLinks, parts }]) => {
    const kind = findKind(splitKey(key)[0]);
    const left = kind === undefined || lacksLinks !== true ? undefined : find(kind.name, targetId);
    if (kind === undefined || left === undefined) return [];
    const isAsLeft = partsOfTarget(kind, left.body).every((part) => parts[part.key]?.stored === partDigest(part.value));
    if (!isAsLeft) return [];
    const message = `an earlier run was cut short before it set links of ${nameOfRecord(left)}, and this archive does not have that record: import the archive of that run again, or undo the run with a rollback`;
    return [{ code: "unfinished-import", message }];
  });
}

/** The written records have ordinary charts in the place of hidden tiles (docs/api.md#hidden-tiles). */
function warnOfSubstitutes(decisions: readonly Decision[], { from, substitutes: marked }: PlanBasis): Warning[] {
  if (from === undefined && marked.size === 0) return [];
  return decisions.filter(willWrite).flatMap(({ record }): Warning[] => {
    const substitutes = from === undefined ? childrenWithIds(record, marked) : substitutesIn(record, from);
    if (substitutes.length === 0) return [];
    const tileNames = joinNames(substitutes, MAX_NAMED_TO_CHECK, (name) => `"${name}"`);
    const message = `${nameOfRecord(record)} is written with a chart in the place of ${pluralize(substitutes.length, "tile")} that the API of the exported stack cannot show: ${tileNames}; look at the originals there and create them again by hand`;
    return [{ code: "substitute-tiles", message }];
  });
}

/** No write can silence an alert (docs/api.md#alerts). */
function warnOfSilenced(decisions: readonly Decision[]): Warning[] {
  const silenced = decisions.filter(
    ({ action, kind, record }) => action === "create" && kind.isSilenced?.(record.body) === true,
  );
  return [...groupBy(silenced, ({ kind }) => kind)].map(([kind, ofKind]) => {
    const recordNames = joinNames(ofKind, MAX_NAMED_TO_CHECK, ({ record }) => `"${labelOf(record)}"`);
    const message = `${pluralize(ofKind.length, kind.singular)} silenced in the archive will notify at once, because a write cannot silence; silence them by hand: ${recordNames}`;
    return { code: "silenced", message };
  });
}

/** After the run, no record has the id of a record that was deleted or created again. */
function warnOfDeadLinks(basis: PlanBasis): Warning[] {
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

/** By the former id on the target, in lower case. */
function lostRecords({ archive, bases, ownStack, target, removed, inventory }: PlanBasis): Map<string, StackRecord> {
  const going = recordsOf(inventory).filter((record) => removed.has(keyOfRecord(record)));
  const deletedBySomebody = archive.records.flatMap((record) => {
    const formerIds = [bases.get(keyOfRecord(record))?.targetId, ownStack ? record.id : undefined];
    return formerIds.flatMap((id) => (id !== undefined && target.lacks(record.kind, id) ? [{ id, record }] : []));
  });
  const lost = [...deletedBySomebody, ...going.map((record) => ({ id: record.id, record }))];
  return new Map(lost.map(({ id, record }) => [id.toLowerCase(), record]));
}

/** Tiles that already overlap on one side cause no warning. */
function warnOfOverlaps(decision: Decision, basis: PlanBasis): Warning[] {
  const { kind, record } = decision;
  return kind.children.flatMap((childKind) =>
    overlapsOf(childKind, decision, basis).map(([taken, kept]) => {
      const noun = nounOf(childKind.space);
      const message = `in ${nameOfRecord(record)}, the ${noun} "${taken}" will lie on the ${noun} "${kept}", which stays as on the target; move one of them there`;
      return { code: "tiles-overlap", message };
    }),
  );
}

type Pair = readonly [taken: JsonObject, kept: JsonObject];

function overlapsOf(
  childKind: ChildIds,
  decision: Decision,
  { ids, archive }: PlanBasis,
): (readonly [taken: string, kept: string])[] {
  const { member, space, overlap } = childKind;
  const { action, record, replaces, parts } = decision;
  if (action !== "update" || parts === undefined || replaces === undefined || overlap === undefined) return [];
  const { body } = archive.byKey.get(keyOfRecord(record)) ?? record;
  const archived = body[member];
  const sources = isJsonArray(archived) ? archived : [];
  const targetIdOf = (child: JsonObject): string =>
    foldIds(ids.get(space, qualifiedChildId(record.id, childIdOf(child))) ?? "");
  const taken = (parts.taken[member] ?? []).map((at) => sources[at] ?? null).filter(isJsonObject);
  const takenIds = new Set(taken.map(targetIdOf));

  const targets = childrenOf(replaces.body, childKind);
  const ownId = (child: JsonObject): string => foldIds(childIdOf(child));
  const keptChildren = targets.filter(
    (child, at) => !takenIds.has(ownId(child)) && !parts.removed?.[member]?.includes(at),
  );
  const isOld = ([one, other]: Pair): boolean => {
    const before = targets.find((child) => ownId(child) === targetIdOf(one));
    const source = sources.filter(isJsonObject).find((child) => targetIdOf(child) === ownId(other));
    return [before && overlap(before, other), source && overlap(one, source)].includes(true);
  };
  const pairs = taken.flatMap((one) =>
    keptChildren.filter((other) => overlap(one, other)).map((other): Pair => [one, other]),
  );
  const added = pairs.filter((pair) => !isOld(pair));
  return added.map(([one, other]) => [nameOfChild(childKind, body, one), nameOfChild(childKind, replaces.body, other)]);
}
