import { changeLines } from "./changes.ts";
import { groupBy, partition } from "../../core/collections.ts";
import { leavesRunIncomplete, isLeftAlone, nameOfOutcome, type Outcome } from "../../core/outcome.ts";
import { itemKey, type AlteredMember, type MappedMember, type Plan, type PlanItem } from "../../core/plan/plan.ts";
import type { RecordKey } from "../../core/records/record.ts";
import { fitText } from "../../core/text/fit-width.ts";
import { joinNames, pluralize } from "../../core/text/format.ts";
import { sortByKind } from "../../kinds/registry.ts";
import { hiddenContentNotes } from "../../kinds/hidden-settings.ts";
import { nounOf } from "../../kinds/nouns.ts";
import type { Tense } from "./outcomes.ts";

/** A section of a plan or of its result, below the list of records. Text, Markdown and pages show the same titles and lines. */
export interface ViewSection {
  readonly id: string;
  readonly title: string;
  readonly lines: readonly ViewLine[];
  /** The next step for the reader. */
  readonly next?: string;
  /** True if the lines are details of writes, of which text shows at most a screen. */
  readonly isDetail?: boolean;
}

export interface ViewLine {
  /** The sign before the line. `!` marks a line that needs attention. */
  readonly mark: "+" | "-" | "~" | "!" | "";
  readonly text: string;
  readonly inner?: readonly ViewLine[];
  /** The record of the archive that the line is about. */
  readonly record?: RecordKey;
}

/** The origin of the content that the target has now. */
export type ContentOrigin = "backup's" | "files'" | "source's";

export interface SectionOptions {
  readonly tense: Tense;
  /** True to list all names, and to show changed values uncut. */
  readonly whole: boolean;
  readonly writer: ContentOrigin;
}

/** Makes the sections in reading order: the writes in detail, then the records that are not written, and the remedies. */
export function planSections(plan: Plan, outcomes: readonly Outcome[], options: SectionOptions): ViewSection[] {
  const { tense, whole } = options;
  const isPlanned = tense === "planned";
  const { items } = plan;
  const updates = items.filter(({ action }) => action === "update");
  const failures = isPlanned
    ? items.filter(({ action }) => action === "blocked")
    : outcomes.filter(leavesRunIncomplete);
  const sections: ViewSection[] = [
    { id: "changes", title: "Changes", lines: updates.flatMap((item) => updateLines(item, whole)), isDetail: true },
    { id: "renamed", title: "Overwritten under another name", lines: updates.flatMap(renamedLines), isDetail: true },
    { id: "overwritten", title: "Overwritten", lines: isPlanned ? [] : overwrittenLines(outcomes, options.writer) },
    { id: "may-hide", title: "What the API may not show", lines: mayHideLines(plan, outcomes, isPlanned) },
    {
      id: "conflicts",
      title: "Changed on the target since the last import",
      lines: items.flatMap((item) => conflictLines(item, whole)),
    },
    { id: "mapped", title: "Created with values of the map file", lines: items.flatMap(mappedLines) },
    {
      id: "transformed",
      title: "Changed by the target's transforms",
      lines: items.flatMap((item) => alteredLines(item, item.transformed)),
      isDetail: true,
    },
    {
      id: "fitted",
      title: "Changed to fit the limits of the API",
      lines: items.flatMap((item) => alteredLines(item, item.fitted)),
      isDetail: true,
    },
    { id: "removals", title: "Gone from the source", lines: removalLines(plan, outcomes, options) },
    {
      id: "failures",
      title: isPlanned ? "Blocked" : "Failed or blocked",
      lines: reasonLines(failures, whole),
    },
    unmatchedSection(plan),
    unverifiedSection(plan),
    secretsSection(plan),
    { id: "exposed", title: "Secrets that others would see", lines: exposedLines(plan) },
    { id: "left-alone-reasons", title: "Left alone", lines: leftAloneLines(outcomes, whole) },
  ];
  return sections.filter(({ lines, next }) => lines.length > 0 || next !== undefined);
}

/** Returns the kind and the name of a record: `dashboard "Checkout"`. */
function recordText(record: Pick<Outcome, "kind" | "name" | "displayName" | "sourceId">): string {
  return `${nounOf(record.kind)} "${nameOfOutcome(record)}"`;
}

/** Returns the name of a record, with the name of the target's record if that differs. */
export function nameWithTargetName(record: Pick<Outcome, "name" | "displayName" | "sourceId" | "targetName">): string {
  const { targetName } = record;
  return targetName === undefined ? nameOfOutcome(record) : `${nameOfOutcome(record)} ("${targetName}" on the target)`;
}

function updateLines(item: PlanItem, whole: boolean): ViewLine[] {
  const { changes, targetName } = item;
  if (changes === undefined) return [];
  const targetText = targetName === undefined ? "" : `, which is "${targetName}" on the target`;
  const inner = changeLines(changes, whole ? "whole" : "short");
  const unshown: ViewLine = { mark: "", text: "only in parts that are not shown: secrets, or ids of tiles" };
  const text = `${recordText(item)}${targetText}`;
  return [{ mark: "~", text, record: itemKey(item), inner: inner.length === 0 ? [unshown] : inner }];
}

function renamedLines(item: PlanItem): ViewLine[] {
  const { targetName, targetId } = item;
  if (targetName === undefined) return [];
  const text = `the ${recordText(item)} overwrites "${targetName}" (${targetId}) on the target`;
  return [{ mark: "!", text, record: itemKey(item) }];
}

/** Lists the target records that a run has overwritten, one line for each kind. */
function overwrittenLines(outcomes: readonly Outcome[], writer: ContentOrigin): ViewLine[] {
  const updated = outcomes.filter(({ action, status }) => action === "update" && status === "done");
  const [inPart, whole] = partition(updated, ({ code }) => code === "part");
  const linesOf = (records: readonly Outcome[], end: string): ViewLine[] =>
    [...groupBy(records, ({ kind }) => kind)].map(([kind, group]) => {
      const what = `${pluralize(group.length, nounOf(kind))} ${group.length === 1 ? "was" : "were"} ${end}`;
      return { mark: "~", text: `${what}: ${joinNames(group, group.length, nameWithTargetName)}` };
    });
  return [...linesOf(whole, `overwritten with the ${writer}`), ...linesOf(inPart, "changed only in the named parts")];
}

/** Lists the changes at the source and on the target since the last import, so that nobody's work is lost unnoticed. */
function conflictLines(item: PlanItem, whole: boolean): ViewLine[] {
  const { since, action, changes = [], targetName } = item;
  if (since === undefined) return [];
  const targetText = targetName === undefined ? "" : ` (on the target: "${targetName}")`;
  const isBoth = since.source.length > 0;
  const where = isBoth ? "on both sides" : "on the target";
  const written =
    item.parts === undefined ? "the source's overwrites it" : "only what the source alone changed is written";
  const end = action === "update" ? written : "the target's is kept";
  const text = `${isBoth ? "conflict: " : ""}${recordText(item)}${targetText} was changed ${where} since the last import; ${end}`;
  const side = (name: string, members: readonly string[]): ViewLine[] =>
    members.length === 0 ? [] : [{ mark: "", text: `${name}: ${members.join(", ")}` }];
  const inner = [
    ...side("at the source", since.source),
    ...side("on the target", since.target),
    // The changes of an update are listed with all updates.
    ...(action === "update" ? [] : changeLines(changes, whole ? "whole" : "short")),
  ];
  return [{ mark: "!", text, record: itemKey(item), inner }];
}

/** Tells what the API may hide of the planned writes; in a result, of those that were made. */
function mayHideLines({ items }: Plan, outcomes: readonly Outcome[], isPlanned: boolean): ViewLine[] {
  const written = new Set(outcomes.filter(({ status }) => isPlanned || status === "done").map(itemKey));
  const writes = items.filter(
    (item) => (item.action === "create" || item.action === "update") && written.has(itemKey(item)),
  );
  return hiddenContentNotes(writes, !isPlanned).map(({ message, record }) => ({
    mark: "!",
    text: message,
    ...(record && { record }),
  }));
}

function mappedLines(item: PlanItem): ViewLine[] {
  const { mapped = [] } = item;
  if (mapped.length === 0) return [];
  const textOf = ({ member, from, to }: MappedMember): string =>
    `${member} "${to}"${from === undefined ? "" : ` in place of "${from}"`}`;
  return [
    { mark: "~", text: `${recordText(item)}: ${mapped.map(textOf).join(", ")} (map file)`, record: itemKey(item) },
  ];
}

function alteredLines(item: PlanItem, members: readonly AlteredMember[] = []): ViewLine[] {
  if (item.action !== "create" && item.action !== "update") return [];
  return members.map(({ pointer, change }) => ({
    mark: "~",
    text: `${recordText(item)} ${pointer}: ${change}`,
    record: itemKey(item),
  }));
}

/** Maximum number of names shown for each kind and reason, unless the view is whole. */
const MAX_NAMES_SHOWN = 20;

/** Lists the records that the source no longer has: one line for each kind of deleted records, then the records that stay. */
function removalLines(plan: Plan, outcomes: readonly Outcome[], { tense, whole }: SectionOptions): ViewLine[] {
  const isPlanned = tense === "planned";
  const removals = plan.mirror?.removals ?? [];
  const end = isPlanned ? "planned" : "done";
  const deleted = outcomes.filter(({ action, status }) => action === "delete" && status === end);
  const byKind = [...groupBy(deleted, ({ kind }) => kind)].map(([kind, group]): ViewLine => {
    const names = joinNames(group, whole ? group.length : MAX_NAMES_SHOWN, nameOfOutcome);
    const what = pluralize(group.length, nounOf(kind));
    const does = isPlanned ? "to delete" : `${group.length === 1 ? "was" : "were"} deleted`;
    return { mark: "-", text: `${what} ${does}: ${names}` };
  });
  const blockedRemovals = removals.filter(({ action }) => isPlanned && action === "blocked");
  return [
    ...byKind,
    ...blockedRemovals.map((removal): ViewLine => {
      const text = `${nounOf(removal.kind)} "${nameOfOutcome(removal)}" is not deleted: ${removal.message ?? ""}`;
      return { mark: "!", text };
    }),
  ];
}

/** Maximum number of names below a reason, and their maximum width, unless the view is whole. */
const MAX_NAMES_PER_REASON = 5;
const MAX_NAME_WIDTH = 60;

type Explained = Pick<Outcome, "kind" | "name" | "displayName" | "sourceId" | "code" | "message">;

/** Lists each reason once, and below it the records that it applies to. */
export function reasonLines(records: readonly Explained[], whole: boolean): ViewLine[] {
  const explained = sortByKind(
    records.filter(({ message }) => message !== undefined),
    ({ kind }) => kind,
  );
  const reasons = groupBy(explained, ({ code, message }) => `${code ?? "blocked"}: ${message ?? ""}`);
  return [...reasons].map(([text, of]) => {
    const inner = [...groupBy(of, ({ kind }) => kind)].map(([kind, ofKind]): ViewLine => {
      const names = joinNames(ofKind, whole ? ofKind.length : MAX_NAMES_PER_REASON, (outcome) =>
        fitText(nameOfOutcome(outcome), MAX_NAME_WIDTH),
      );
      return { mark: "", text: `${pluralize(ofKind.length, nounOf(kind))}: ${names}` };
    });
    return { mark: "!", text, inner };
  });
}

/** The reasons, in words, why a record that others need has no match. */
export const UNMATCHED_REASONS = {
  missing: "has no match on the target",
  ambiguous: "has more than one match on the target",
  dead: "is not in the archive either",
} as const;

/** Matches the missing record in a message: `needs the webhook "pager", which …`. */
const NEEDED = /^needs the (.*?")(?:,| \(|$)/s;

/** The reason of a blocked record names only the first record that it lacks; this section lists the others. */
function unmatchedSection({ items, unresolved }: Plan): ViewSection {
  const explainedNeeds = new Set(
    items.flatMap(({ action, message = "" }) => (action === "blocked" ? [NEEDED.exec(message)?.[1] ?? ""] : [])),
  );
  const lines = unresolved.flatMap(({ space, id, name, reason, neededBy }): ViewLine[] => {
    const what = `${nounOf(space)} "${name === "" ? id : name}"`;
    if (explainedNeeds.has(what)) return [];
    const need = neededBy === 0 ? "" : `; ${pluralize(neededBy, "record")} ${neededBy === 1 ? "needs" : "need"} it`;
    return [{ mark: "!", text: `${what} ${UNMATCHED_REASONS[reason]}${need}` }];
  });
  const next = "A map file matches records that are missing: --draft-map map.yaml drafts one, --map map.yaml uses it";
  return { id: "unmatched", title: "Not matched", lines, ...(unresolved.length > 0 && { next }) };
}

/** Returns the ids that only a write can prove valid, each with the number of records that use it. */
export function countUnverifiedUses(items: readonly PlanItem[]): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  for (const { space, id } of items.flatMap(({ unverified = [] }) => unverified)) {
    uses.set(`${space} ${id}`, (uses.get(`${space} ${id}`) ?? 0) + 1);
  }
  return uses;
}

function unverifiedSection({ items, matches }: Plan): ViewSection {
  const uses = countUnverifiedUses(items);
  const lines = matches.flatMap(({ space, to, name, from }): ViewLine[] => {
    const count = uses.get(`${space} ${to}`);
    if (count === undefined) return [];
    const what = `${nounOf(space)} "${name === "" ? from : name}" → ${to}`;
    return [
      { mark: "!", text: `${what}: not verified; ${pluralize(count, "record")} ${count === 1 ? "uses" : "use"} it` },
    ];
  });
  const next = "The target cannot list these ids, so the first record with each id is written alone, to prove the id";
  return { id: "unverified", title: "Ids that are not verified", lines, ...(lines.length > 0 && { next }) };
}

function exposedLines({ warnings }: Plan): ViewLine[] {
  return warnings
    .filter(({ code }) => code.startsWith("placeholder-in-"))
    .map(({ code, message }) => ({ mark: "!", text: `${code}: ${message}` }));
}

/** Lists the secrets that a secrets file has to supply, each with its surrounding text. */
function secretsSection({ missingSecrets }: Plan): ViewSection {
  const lines = missingSecrets.map(({ key, name, pointer, rules, around }): ViewLine => {
    const [kind = ""] = key.split("/");
    const text = `${nounOf(kind)} "${name === "" ? key : name}" ${pointer}: ${rules.join(", ")}`;
    return {
      mark: "!",
      text,
      record: key,
      inner: around.map((text) => ({ mark: "", text: `where: ${text}` })),
    };
  });
  const next = "Supply these secrets: --draft-secrets secrets.yaml drafts a file, --secrets secrets.yaml uses it";
  return { id: "missing-secrets", title: "Secrets to supply", lines, ...(lines.length > 0 && { next }) };
}

/** Lists the records that are left alone, one line for each kind and reason. */
function leftAloneLines(outcomes: readonly Outcome[], whole: boolean): ViewLine[] {
  const leftAlone = sortByKind(outcomes.filter(isLeftAlone), ({ kind }) => kind);
  const groups = groupBy(leftAlone, ({ kind, code, message }) => `${kind}\n${code}\n${message}`);
  return [...groups.values()].map((group) => ({ mark: "", text: leftAloneText(group, whole) }));
}

function leftAloneText(group: readonly Outcome[], whole: boolean): string {
  const [{ kind, code, status, message } = {} as Partial<Outcome>] = group;
  const several = group.length > 1;
  const count = pluralize(group.length, nounOf(kind ?? ""));
  const names = joinNames(group, whole ? group.length : MAX_NAMES_SHOWN, nameWithTargetName);
  const was = status === "planned" ? (several ? "are" : "is") : several ? "were" : "was";
  const why = message ?? code;
  return `${count} ${was} left alone: ${names}${why === undefined ? "" : ` (${why})`}`;
}
