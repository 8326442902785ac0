import { groupBy, partition } from "../../core/collections.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { KindName } from "../../core/records/record.ts";
import { sortForReading } from "../../kinds/registry.ts";
import type { Mark } from "../document.ts";

export type Tense = "planned" | "done";
type Wording = Readonly<Record<Tense, string>>;

export interface OutcomeRow {
  readonly id: string;
  readonly mark: Mark;
  readonly word: Wording;
  readonly countWord: Wording;
  /** True if the record already is as it should be, so the outcome is no news. */
  readonly isRest?: true;
}

function written(verb: string, done: string, mark: Mark): OutcomeRow {
  return {
    id: done.replace(" ", "-"),
    mark,
    word: { planned: verb, done },
    countWord: { planned: `to ${verb}`, done },
  };
}

function other(id: string, mark: Mark, planned: string, done: string): OutcomeRow {
  return { id, mark, word: { planned, done }, countWord: { planned: done, done } };
}

const AS_THEY_ARE: Wording = { planned: "as they are", done: "as they are" };

/** In reading order: failures come first. */
const ROWS = {
  failed: other("failed", "!", "failed", "failed"),
  blocked: other("blocked", "!", "blocked", "blocked"),
  create: written("create", "created", "+"),
  "create again": written("create again", "created again", "+"),
  update: written("update", "updated", "~"),
  "put back": written("put back", "put back", "~"),
  delete: written("delete", "deleted", "-"),
  skip: other("kept", "·", "keep", "kept"),
  "not begun": other("not-begun", "·", "not begun", "not begun"),
  unchanged: { ...other("unchanged", "=", "unchanged", "unchanged"), countWord: AS_THEY_ARE, isRest: true },
  matched: { ...other("matched", "=", "matched", "matched"), isRest: true },
} as const satisfies Readonly<Record<string, OutcomeRow>>;

export type OutcomeState = keyof typeof ROWS;

export function groupByState<Item extends { readonly state: OutcomeState }>(
  items: readonly Item[],
): { readonly row: OutcomeRow; readonly items: readonly Item[] }[] {
  const byState = groupBy(items, ({ state }): string => state);
  return Object.entries(ROWS).flatMap(([state, row]) => {
    const found = byState.get(state);
    return found === undefined ? [] : [{ row, items: found }];
  });
}

export function stateOf({ action, code, status }: Outcome, isUndo: boolean): OutcomeState {
  if (code === "not-started") return "not begun";
  if (action === "blocked") return "blocked";
  if (status === "failed") return "failed";
  switch (action) {
    case "skip":
      // A matched record is not called "kept", because nobody asked to write it.
      return code === "matched" ? "matched" : "skip";
    case "create":
      return isUndo ? "create again" : "create";
    case "update":
      return isUndo ? "put back" : "update";
    case "export":
      return "unchanged";
    default:
      return action;
  }
}

export function countsText(items: readonly { readonly state: OutcomeState }[], tense: Tense): string {
  const textOf = (groups: ReturnType<typeof groupByState>): string =>
    groups.map(({ row, items: { length } }) => `${length} ${restWord(row.countWord[tense], length)}`).join(", ");
  const [rest, news] = partition(groupByState(items), ({ row }) => row.isRest === true);
  // Counts begin with the writes, lists (`ROWS`) with the failures.
  const [failures, others] = partition(news, ({ row }) => row.mark === "!");
  const [kept, writes] = partition(others, ({ row }) => row.mark === "·");
  const parts = [textOf([...writes, ...failures, ...kept]) || "nothing to do", textOf(rest)];
  return parts.filter((part) => part !== "").join("; ");
}

function restWord(word: string, count: number): string {
  return count === 1 && word === "as they are" ? "as it is" : word;
}

export function groupByKind<Item extends { readonly kind: KindName }>(items: readonly Item[]): [KindName, Item[]][] {
  const kindOf = ({ kind }: Item): KindName => kind;
  return [...groupBy(sortForReading(items, kindOf), kindOf)];
}
