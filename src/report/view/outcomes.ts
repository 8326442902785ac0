import { groupBy } from "../../core/collections.ts";
import type { KindName } from "../../core/records/record.ts";
import { sortForReading } from "../../kinds/registry.ts";

/** A plan has the tense `planned`, a result `done`. */
export type Tense = "planned" | "done";
type Wording = Readonly<Record<Tense, string>>;

/** An actual or planned outcome of a record, with its wording on pages. */
export interface OutcomeRow {
  readonly id: string;
  /** The states of plans and results that mean this outcome. */
  readonly states: readonly string[];
  /** The text of a count: `9 to create`, `9 created`. */
  readonly countText: Wording;
  /** The predicate of a sentence: `9 dashboards would be created`, `9 dashboards were created`. */
  readonly predicate: Wording;
  /** Set if the title of a page mentions this outcome. */
  readonly inTitle?: true;
  /** Set if this outcome is a failure. Failures are listed first, with their reasons. */
  readonly isFailure?: true;
  /** Set if the section is closed at first, because nobody has to read it. */
  readonly isFolded?: true;
}

/** Makes the row of a write that went well, or would go well. */
function written(verb: string, done: string): OutcomeRow {
  const says: Wording = { planned: `would be ${done}`, done: `were ${done}` };
  const counted: Wording = { planned: `to ${verb}`, done };
  return { id: done.replace(" ", "-"), states: [verb, done], countText: counted, predicate: says, inTitle: true };
}

/** Makes the row of an outcome that is no successful write. Its count has the same wording in a plan and in a result. */
function other(word: string, states: readonly string[], says: Wording, more: Partial<OutcomeRow> = {}): OutcomeRow {
  return { id: word.replace(" ", "-"), states, countText: { planned: word, done: word }, predicate: says, ...more };
}

const BAD = { inTitle: true, isFailure: true } as const;
const FOLDED = { isFolded: true } as const;
const ON_TARGET = { planned: "are on the target already", done: "were on the target already" };
const MATCHED = {
  planned: "are matched with records of the target",
  done: "were matched with records of the target",
};

/** All outcomes in reading order: failures, writes, records left alone. */
const ROWS: readonly OutcomeRow[] = [
  other("failed", ["failed", "refused"], { planned: "would fail", done: "could not be written" }, BAD),
  other("blocked", ["blocked"], { planned: "cannot be written", done: "were blocked" }, BAD),
  written("create", "created"),
  written("update", "updated"),
  written("delete", "deleted"),
  written("put back", "put back"),
  other("left alone", ["skip"], { planned: "would be left alone", done: "were left alone" }),
  other("not begun", ["not begun"], { planned: "would not be begun", done: "were not begun" }),
  other("unchanged", ["unchanged"], ON_TARGET, FOLDED),
  other("matched", ["matched"], MATCHED, FOLDED),
];

/** Returns the outcome that a state means. An unknown state counts as a failure, so that it is noticed. */
function rowOf(state: string): OutcomeRow | undefined {
  return ROWS.find(({ states }) => states.includes(state)) ?? ROWS[0];
}

export interface OutcomeState {
  readonly kind: KindName;
  readonly state: string;
  /** Stable code of the reason. */
  readonly code: string;
}

/** Returns the counts for a title: `9 created, 12 failed`. Writes come first, then failed and blocked records. */
export function titleCounts(groups: readonly OutcomeGroup<OutcomeState>[], tense: Tense): string {
  const news = groups.filter(({ row }) => row.inTitle);
  const parts = [...news.filter(({ row }) => !row.isFailure), ...news.filter(({ row }) => row.isFailure)];
  const words = parts.map(({ row, items }) => `${items.length} ${row.countText[tense]}`);
  return words.length > 0 ? words.join(", ") : tense === "planned" ? "nothing to write" : "nothing written";
}

/** Returns the readable name of a state, for the filter: `left alone`. */
export function stateWord(state: string): string {
  return state === "skip" ? "left alone" : state;
}

export function sortByOutcome<Item extends OutcomeState>(records: readonly Item[]): Item[] {
  return groupByOutcome(records).flatMap(({ items }) => items);
}

export interface OutcomeGroup<Item extends OutcomeState> {
  readonly row: OutcomeRow;
  readonly items: readonly Item[];
}

export function groupByOutcome<Item extends OutcomeState>(records: readonly Item[]): OutcomeGroup<Item>[] {
  return ROWS.flatMap((row) => {
    const items = records.filter(({ state }) => rowOf(state) === row);
    return items.length === 0 ? [] : [{ row, items }];
  });
}

export function groupByKind<Item extends { readonly kind: KindName }>(items: readonly Item[]): [KindName, Item[]][] {
  const kindOf = ({ kind }: Item): KindName => kind;
  return [...groupBy(sortForReading(items, kindOf), kindOf)];
}
