import type { KindName } from "../../core/records/record.ts";

/** An actual or planned outcome of a record, with its wording on pages. */
export interface OutcomeRow {
  readonly id: string;
  /** The states of plans and results that mean this outcome. */
  readonly states: readonly string[];
  /** The text of a count: in a plan (`9 to create`), then in a result (`9 created`). */
  readonly counted: readonly [planned: string, done: string];
  /** The predicate of a sentence: in a plan (`9 dashboards would be created`), then in a result (`9 dashboards were created`). */
  readonly says: readonly [planned: string, done: string];
  /** Set if the title of a page mentions this outcome. */
  readonly inTitle?: true;
  /** Set if this outcome is a failure. Failures are listed first, with their reasons. */
  readonly isBad?: true;
  /** Set if the section is closed at first, because nobody has to read it. */
  readonly folded?: true;
}

/** All outcomes in reading order: failures, writes, records left alone. */
const ROWS: readonly OutcomeRow[] = [
  {
    id: "failed",
    states: ["failed", "refused", "open"],
    counted: ["failed", "failed"],
    says: ["would fail", "could not be written"],
    inTitle: true,
    isBad: true,
  },
  {
    id: "blocked",
    states: ["blocked"],
    counted: ["blocked", "blocked"],
    says: ["cannot be written", "were blocked"],
    inTitle: true,
    isBad: true,
  },
  {
    id: "created",
    states: ["create", "created"],
    counted: ["to create", "created"],
    says: ["would be created", "were created"],
    inTitle: true,
  },
  {
    id: "updated",
    states: ["update", "updated"],
    counted: ["to update", "updated"],
    says: ["would be updated", "were updated"],
    inTitle: true,
  },
  {
    id: "deleted",
    states: ["delete", "deleted"],
    counted: ["to delete", "deleted"],
    says: ["would be deleted", "were deleted"],
    inTitle: true,
  },
  {
    id: "put-back",
    states: ["put back"],
    counted: ["to put back", "put back"],
    says: ["would be put back", "were put back"],
    inTitle: true,
  },
  {
    id: "left-alone",
    states: ["skip"],
    counted: ["left alone", "left alone"],
    says: ["would be left alone", "were left alone"],
  },
  {
    id: "not-begun",
    states: ["not begun"],
    counted: ["not begun", "not begun"],
    says: ["would not be begun", "were not begun"],
  },
  {
    id: "unchanged",
    states: ["unchanged"],
    counted: ["unchanged", "unchanged"],
    says: ["are on the target already", "were on the target already"],
    folded: true,
  },
  {
    id: "matched",
    states: ["matched"],
    counted: ["matched", "matched"],
    says: ["are matched with records of the target", "were matched with records of the target"],
    folded: true,
  },
];

/** Returns the outcome that a state means. An unknown state counts as a failure, so that it is noticed. */
export function rowOf(state: string): OutcomeRow | undefined {
  return ROWS.find(({ states }) => states.includes(state)) ?? ROWS[0];
}

/** A record and its outcome. */
export interface OutcomeState {
  readonly kind: KindName;
  readonly state: string;
  /** Stable code of the reason. */
  readonly code: string;
}

export type Tense = "planned" | "done";

/** Returns the counts for a title: `9 created, 12 failed`. Writes come first, then failed and blocked records. */
export function titleCounts(records: readonly OutcomeState[], tense: Tense): string {
  const news = groupByOutcome(records).filter(({ row }) => row.inTitle);
  const parts = [...news.filter(({ row }) => !row.isBad), ...news.filter(({ row }) => row.isBad)];
  const words = parts.map((part) => counts(part, tense));
  return words.length > 0 ? words.join(", ") : tense === "planned" ? "nothing to write" : "nothing written";
}

/** Returns the readable name of a state, for the filter: `left alone`. */
export function stateWord(state: string): string {
  return state === "skip" ? "left alone" : state;
}

/** Sorts records into the reading order of their outcomes. */
export function byOutcome<Item extends OutcomeState>(records: readonly Item[]): Item[] {
  return groupByOutcome(records).flatMap(({ items }) => items);
}

export interface Group<Item extends OutcomeState> {
  readonly row: OutcomeRow;
  readonly items: readonly Item[];
}

export function groupByOutcome<Item extends OutcomeState>(records: readonly Item[]): Group<Item>[] {
  return ROWS.flatMap((row) => {
    const items = records.filter(({ state }) => rowOf(state) === row);
    return items.length === 0 ? [] : [{ row, items }];
  });
}

function counts({ row, items }: Group<OutcomeState>, tense: Tense): string {
  return `${items.length} ${row.counted[place(tense)]}`;
}

export function place(tense: Tense): 0 | 1 {
  return tense === "planned" ? 0 : 1;
}
