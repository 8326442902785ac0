import { byCodeUnit } from "../../core/collections.ts";
import { countOutcomes, isLeftAlone, nameOfOutcome, type OutcomeAction, type Outcome } from "../../core/outcome.ts";
import { itemKey, plannedOutcomes, type Plan, type PlanItem } from "../../core/plan/plan.ts";
import { recordKey } from "../../core/records/record.ts";
import { sortByOutcome, type Tense, type OutcomeState } from "./outcomes.ts";
import { planSections, countUnverifiedUses, type SectionOptions, type ViewSection } from "./sections.ts";

/** A plan, or the result of an import, in the form that text, Markdown and pages print. */
export interface PlanView {
  readonly tense: Tense;
  /** The counts as a sentence: `Plan: 8 to create, 0 to update, 2 unchanged, 1 blocked.` or `Done: 8 created.` */
  readonly counts: string;
  /** All records, in the reading order of their outcomes, then by name. */
  readonly rows: readonly PlanRow[];
  readonly sections: readonly ViewSection[];
}

export interface PlanRow extends OutcomeState {
  readonly id: string;
  readonly name: string;
  /** The reason in words; empty if there is no reason, or only a code. */
  readonly reason: string;
  readonly outcome: Outcome;
  /** The record's item in the plan; absent for a record that is not from the archive. */
  readonly item?: PlanItem;
}

export interface PlanViewOptions extends Partial<Omit<SectionOptions, "tense">> {
  /** The outcomes of the plan; absent if the plan was not applied. */
  readonly outcomes?: readonly Outcome[] | undefined;
}

/** Makes the view of a plan or of its result. All outputs print this one view. */
export function planView(plan: Plan, { outcomes, whole = false, writer = "source's" }: PlanViewOptions = {}): PlanView {
  const tense = outcomes === undefined ? "planned" : "done";
  const ends = outcomes ?? plannedOutcomes(plan);
  return {
    tense,
    counts: outcomes === undefined ? planCounts(plan) : resultCounts(outcomes),
    rows: rowsOf(plan, ends),
    sections: planSections(plan, ends, { tense, whole, writer }),
  };
}

function rowsOf({ items }: Plan, outcomes: readonly Outcome[]): PlanRow[] {
  const byKey = new Map(items.map((item) => [itemKey(item), item]));
  const rows = outcomes.map((outcome): PlanRow => {
    const { kind, sourceId, targetId = "", code = "", message = "" } = outcome;
    const item = byKey.get(recordKey(kind, sourceId));
    const reason = code === "matched" ? "is on the target already" : message;
    const id = sourceId || targetId;
    return {
      kind,
      id,
      name: nameOfOutcome(outcome) || id,
      state: stateOf(outcome),
      code,
      reason,
      outcome,
      ...(item && { item }),
    };
  });
  return sortByOutcome(rows.toSorted((a, b) => byCodeUnit(a.name, b.name) || byCodeUnit(a.id, b.id)));
}

const DONE: Readonly<Record<string, string>> = { create: "created", update: "updated", delete: "deleted" };

function stateOf({ action, code, status }: Outcome): string {
  if (code === "not-started") return "not begun";
  // A record that was only matched is not called "left alone": nobody asked to write it.
  if (action === "skip" && code === "matched") return "matched";
  if (status === "planned" || action === "blocked") return action;
  return status === "failed" ? "failed" : (DONE[action] ?? action);
}

export function planCounts({ items, mirror }: Plan): string {
  const rows = [...items, ...(mirror?.removals ?? [])];
  const count = (action: (typeof rows)[number]["action"]): number => rows.filter((row) => row.action === action).length;
  const leftAloneCount = rows.filter(isLeftAlone).length;
  const deletes = mirror === undefined ? "" : `, ${count("delete")} to delete`;
  const matchedCount = count("skip") - leftAloneCount;
  const leftAloneText = leftAloneCount === 0 ? "" : `, ${leftAloneCount} left alone`;
  const matchedText = matchedCount === 0 ? "" : `, ${matchedCount} matched`;
  const unverifiedCount = countUnverifiedUses(items).size;
  const unverified =
    unverifiedCount === 0 ? "" : ` ${unverifiedCount} ${unverifiedCount === 1 ? "id is" : "ids are"} not verified.`;
  return `Plan: ${count("create")} to create, ${count("update")} to update${deletes}, ${count("unchanged")} unchanged${leftAloneText}${matchedText}, ${count("blocked")} blocked.${unverified}`;
}

const WORDS: Readonly<Record<Exclude<OutcomeAction, "export">, string>> = {
  create: "created",
  update: "updated",
  unchanged: "unchanged",
  skip: "left alone",
  delete: "deleted",
  blocked: "blocked",
};

/** Returns the counts of a result: `Done: 8 created, 2 updated, 1 failed.` Zero counts are left out, unless all are zero. */
function resultCounts(outcomes: readonly Outcome[]): string {
  const counts = countOutcomes(outcomes);
  const countOf = (wantedCode: string): number => outcomes.filter(({ code }) => code === wantedCode).length;
  const parts = [
    ...Object.entries(WORDS).map(([action, word]) => ({ count: counts[action] ?? 0, word })),
    { count: counts["failed"] ?? 0, word: "failed" },
    { count: countOf("not-started"), word: "not begun" },
  ].flatMap(({ count, word }) => (count === 0 ? [] : [`${count} ${word}`]));
  const matchedCount = counts["matched"] ?? 0;
  const matchedText = matchedCount === 0 ? "" : ` ${matchedCount} matched with records of the target.`;
  return `Done: ${parts.length === 0 ? "nothing to write" : parts.join(", ")}.${matchedText}`;
}
