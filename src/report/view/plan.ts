import { byCodeUnit, groupBy, partition } from "../../core/collections.ts";
import { nameOfOutcome, type Outcome } from "../../core/outcome.ts";
import { itemKey, plannedOutcomes, type Plan, type PlanItem } from "../../core/plan/plan.ts";
import { recordKey, type RecordKey, type StackRecord } from "../../core/records/record.ts";
import { upperFirst } from "../../core/text/format.ts";
import {
  type Block,
  type Document,
  type Line,
  type RecordBlock,
  type RecordGroup,
  type RecordItem,
} from "../document.ts";
import { changeLines } from "./changes.ts";
import { countsText, groupByState, stateOf, type OutcomeRow, type OutcomeState, type Tense } from "./outcomes.ts";
import { planSections } from "./plan-sections.ts";

export interface PlannedRun extends Pick<Document, "headline" | "notes" | "facts" | "next" | "digest"> {
  readonly plan: Plan;
  /** Absent if the plan was not applied. */
  readonly outcomes?: readonly Outcome[] | undefined;
  /** Shown if `outcomes` is absent; by default, the planned outcomes of `plan`. */
  readonly planned?: readonly Outcome[];
  /** Records of the archive, for the explanations of guesses. */
  readonly records: readonly StackRecord[];
  readonly imported?: "archive" | "files";
  readonly isUndo?: boolean;
  /** True to list all names, and to show changed values uncut. */
  readonly whole: boolean;
}

interface RunRecord {
  readonly state: OutcomeState;
  readonly outcome: Outcome;
  readonly name: string;
  readonly id: string;
  readonly item?: PlanItem | undefined;
}

export function planDocument(run: PlannedRun): Document {
  const { plan, outcomes, planned = plannedOutcomes(plan), imported = "archive", isUndo = false, whole } = run;
  const { headline, notes, facts, next, digest } = run;
  const tense: Tense = outcomes === undefined ? "planned" : "done";
  const planItems = new Map(plan.items.map((item) => [itemKey(item), item]));
  const records = (outcomes ?? planned)
    .map((outcome) => runRecordOf(outcome, planItems, isUndo))
    .toSorted((a, b) => byCodeUnit(a.name, b.name) || byCodeUnit(a.id, b.id));
  const shown = { tense, whole, imported, told: new Set<string>() };
  const [rest, news] = partition(groupByState(records), ({ row }) => row.isRest === true);
  const [first, ...others] = news.map(({ row, items }) => recordBlock(row, items, shown));
  const sections = planSections(plan, outcomes ?? planned, { tense, whole, records: run.records });
  return {
    headline,
    notes,
    facts,
    blocks: [
      ...(first === undefined ? [] : [first]),
      ...sections.remedies,
      ...others,
      ...sections.details,
      { is: "fold", blocks: rest.map(({ row, items }) => recordBlock(row, items, shown)) },
      warningBlock(plan),
    ],
    label: tense === "planned" ? "Plan" : "Done",
    summary: countsText(records, tense),
    next,
    digest,
  };
}

export function failuresBlock(outcomes: readonly Outcome[]): RecordBlock[] {
  const records = outcomes.map((outcome) => runRecordOf(outcome, new Map(), false));
  const shown: Shown = { tense: "done", whole: false, imported: "archive", told: new Set() };
  return groupByState(records)
    .filter(({ row }) => row.mark === "!")
    .map(({ row, items }) => recordBlock(row, items, shown));
}

/** The section `may-hide` already shows these warnings. */
const HIDDEN_CONTENT: readonly string[] = ["may-lose-hidden", "hidden-members"];

function warningBlock({ warnings }: Plan): Block {
  const others = warnings.filter(({ code }) => !HIDDEN_CONTENT.includes(code));
  const lines = others.map(({ code, message, pointer }): Line => {
    const place = pointer === undefined || message.includes(pointer) ? [] : [" ", { code: pointer }];
    return { mark: "!", words: [`${code}: ${message}`, ...place] };
  });
  return { is: "warnings", lines };
}

function runRecordOf(outcome: Outcome, items: ReadonlyMap<RecordKey, PlanItem>, isUndo: boolean): RunRecord {
  const { kind, sourceId, targetId = "" } = outcome;
  const id = sourceId || targetId;
  const item = items.get(recordKey(kind, sourceId));
  return { state: stateOf(outcome, isUndo), outcome, name: nameOfOutcome(outcome) || id, id, item };
}

interface Shown {
  readonly tense: Tense;
  readonly whole: boolean;
  readonly imported: "archive" | "files";
  /** The remedies so far; a document has each remedy only once. */
  readonly told: Set<string>;
}

function recordBlock(row: OutcomeRow, records: readonly RunRecord[], shown: Shown): RecordBlock {
  const { tense, whole } = shown;
  return {
    is: "records",
    id: row.id,
    title: upperFirst(row.countWord[tense]),
    mark: row.mark,
    word: row.word[tense],
    groups: groupByReason(records, shown),
    ...(whole && { isWhole: true }),
  };
}

function itemOf({ outcome, name, id, item }: RunRecord, shown: Shown): RecordItem {
  const { kind, code, message, targetName, targetId = item?.targetId } = outcome;
  const overwrites = targetName === undefined ? "" : `, which is "${targetName}" on the target`;
  // Without `whole`, a result does not repeat the changes of the plan.
  const lines = item === undefined || (shown.tense === "done" && !shown.whole) ? [] : linesOf(item, shown);
  return {
    kind,
    id,
    name,
    more: overwrites,
    lines,
    facts: [["On the target", targetId && { code: targetId }]],
    ...(message !== undefined && { reason: message }),
    ...(code !== undefined && code !== "matched" && { code }),
  };
}

function linesOf(item: PlanItem, { whole, imported }: Shown): Line[] {
  const { action, changes } = item;
  const isShown = action !== "skip" || whole;
  const changed = isShown ? changeLines(changes ?? [], whole) : [];
  const unshown: Line = { mark: "", words: "only in parts that are not shown: secrets, or ids of tiles" };
  return [
    ...differenceLines(item, imported),
    ...(action === "update" && changes !== undefined && changed.length === 0 ? [unshown] : changed),
  ];
}

function differenceLines({ action, since, kept = [] }: PlanItem, imported: Shown["imported"]): Line[] {
  const line = (which: string, parts: readonly string[]): Line[] =>
    parts.length === 0 ? [] : [{ mark: "", words: `${which}: ${parts.join(", ")}` }];
  if (since !== undefined) {
    return [
      ...line(`changed in the ${imported} since the last run`, since.source),
      ...line("changed on the target since the last run", since.target),
    ];
  }
  const parts = action === "skip" ? kept.map(({ label }) => label) : [];
  return line("differs", parts);
}

/** A record joins the group of its blocker, so a connection that 24 records need is named once. */
function groupByReason(records: readonly RunRecord[], shown: Shown): RecordGroup[] {
  const byKey = new Map(records.map((record) => [itemKey(record.outcome), record]));
  const causeOf = (record: RunRecord): RunRecord => {
    const passed = new Set<RunRecord>();
    let cause = record;
    while (cause.outcome.code === "dependency-blocked" && !passed.has(cause)) {
      passed.add(cause);
      const blockedBy = cause.item?.blockedBy;
      const blocker = blockedBy === undefined ? undefined : byKey.get(blockedBy);
      cause = blocker ?? cause;
    }
    return cause;
  };
  const groups = groupBy(records, (record) => {
    const { code = "", message = "" } = causeOf(record).outcome;
    return code === "matched" ? "" : `${code}\n${message}`;
  });
  const explained = [...groups].map(([key, members]): RecordGroup => {
    const [code = ""] = key.split("\n", 1);
    const message = key.slice(code.length + 1);
    return {
      ...(code !== "" && { code }),
      ...splitMessage(message),
      records: members.map((each) => itemOf(each, shown)),
    };
  });
  return remediesOnce(explained, shown.told);
}

/** Matches `; ` outside quoted names. */
const CLAUSE = /; (?=(?:[^"]*"[^"]*")*[^"]*$)/;

/** A clause with `needs` or `watches` names another missing record, and belongs to the reason. */
function splitMessage(message: string): { readonly reason: string; readonly remedy?: string } {
  const [first = "", ...others] = message.split(CLAUSE);
  const [needs, remedies] = partition(others, (clause) => /^(?:needs|watches) /.test(clause));
  return {
    reason: [first, ...needs].join("; "),
    ...(remedies.length > 0 && { remedy: upperFirst([...new Set(remedies)].join("; ")) }),
  };
}

/** Groups with the same code and remedy become neighbours; only the last of them keeps the remedy. */
function remediesOnce(groups: readonly RecordGroup[], told: Set<string>): RecordGroup[] {
  return [...groupBy(groups, ({ code, remedy }) => `${code} ${remedy ?? ""}`).values()].flatMap((alike) =>
    alike.map(({ remedy, ...group }, index) => {
      if (remedy === undefined || index < alike.length - 1 || told.has(remedy)) return group;
      told.add(remedy);
      return { ...group, remedy };
    }),
  );
}
