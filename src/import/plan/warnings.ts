import { willWrite } from "../../core/plan/plan.ts";
import { groupBy } from "../../core/collections.ts";
import type { Warning } from "../../core/outcome.ts";
import { formatPointer } from "../../core/records/member-path.ts";
import { MAX_NAMED, MAX_NAMED_TO_CHECK, joinNames, pluralize } from "../../core/text/format.ts";
import { warnOfShortLived } from "./variant-rules.ts";
import { objectsIn } from "../../core/json.ts";
import { type PlanBasis, decisionKey, type Decision } from "./decide/decision.ts";
import { warnOfDeadLinks, type DeadLinks } from "./dead-links.ts";
import { warnOfExposedSecrets } from "./decide/missing-secrets.ts";
import { warnOfOverlaps } from "./overlaps.ts";
import { warnOfOmittedDependents } from "./include-dependents.ts";
import { warnOfHiddenLoss, type HiddenContentLoss } from "./update-losses.ts";
import { splitKey, type StackRecord, labelOf } from "../../core/records/record.ts";
import { nameOfRecord } from "../../kinds/nouns.ts";
import { findKind } from "../../kinds/registry.ts";
import { recordFinder } from "../../matching/inventory.ts";
import { partDigest, partsOfTarget } from "../../references/parts.ts";
import { childrenWithIds, substitutesIn } from "../../references/hidden-content.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import type { Matching } from "../../matching/match-all.ts";

export function planWarnings(basis: PlanBasis, deadLinks: Iterable<DeadLinks>, loss: HiddenContentLoss): Warning[] {
  const { archive, matching, options, suppliedSecrets } = basis;
  const decisions = [...basis.decisions.values()];
  return [
    ...warnOfOmittedDependents(archive, options, ({ kind, id }) =>
      basis.target.has(kind, basis.ids.get(kind, id) ?? ""),
    ),
    ...warnOfDeadLinks(basis),
    ...createdBeside(decisions, matching),
    ...warnOfUnfinished(basis),
    ...warnOfNoJournal(decisions, basis),
    ...[...deadLinks].flatMap(({ warnings }) => warnings),
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

/** Warns once if records differ and no run has remembered anything: then nothing tells which side changed them. */
function warnOfNoJournal(decisions: readonly Decision[], { bases, missing }: PlanBasis): Warning[] {
  const differs = ({ replaces, kept = [] }: Decision): boolean => replaces !== undefined || kept.length > 0;
  if (bases.size + missing.size > 0 || !decisions.some(differs)) return [];
  const message =
    "no earlier run of this pair is known: nobody can say which side has changed a record that differs, and a record that was renamed is made anew";
  return [{ code: "no-journal", message }];
}

/** Makes a warning for each value that is written although the source's answer did not contain it. */
function warnOfAssumed({ action, kind, record }: Decision): Warning[] {
  if (!willWrite({ action })) return [];
  return (kind.assumed?.(record.body) ?? []).map(({ pointer, value }) => {
    const message = `${nameOfRecord(record)} has no language here, which a write requires; it is written as ${value}`;
    return { code: "fitted", message, pointer };
  });
}

/** Makes a warning for each member that only the target's record has and that the update does not remove. */
function warnOfKept({ action, kind, record, replaces }: Decision): Warning[] {
  if (action !== "update" || replaces === undefined) return [];
  const keptMembers = (kind.keptOnUpdate ?? []).filter(
    (member) => (replaces.body[member] ?? null) !== null && (record.body[member] ?? null) === null,
  );
  const message = `an update cannot remove this member of ${nameOfRecord(record)}, so the target keeps it; remove it by hand`;
  return keptMembers.map((member) => ({ code: "not-stored", message, pointer: formatPointer([member]) }));
}

/** Makes a warning for each list that becomes shorter, because several of its items point to the same record on the target. */
function warnOfMerged(decision: Decision, { bodies }: PlanBasis): Warning[] {
  const { kind, record } = decision;
  if (!willWrite(decision) || kind.distinctItems === undefined) return [];
  const { desired } = bodies.of(kind, decisionKey(decision));
  const message = `several of these ids map to one record of the target, so ${nameOfRecord(record)} is written with it once`;
  return Object.keys(kind.distinctItems)
    .filter((member) => objectsIn(desired[member]).length < objectsIn(record.body[member]).length)
    .map((member) => ({ code: "fitted", message, pointer: formatPointer([member]) }));
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
 * Warns of records that are on the target as a run left them which was cut short before it set their links, and that the source no
 * longer has: no run of this archive sets the links.
 */
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
    const message = `${nameOfRecord(record)} is written with a chart in the place of ${pluralize(substitutes.length, "tile")} that the API of the exported stack cannot show: ${tileNames}; look at the originals there and create them again by hand`;
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
    const message = `${pluralize(ofKind.length, kind.singular)} silenced in the archive will notify at once, because a write cannot silence; silence them by hand: ${recordNames}`;
    return { code: "silenced", message };
  });
}
