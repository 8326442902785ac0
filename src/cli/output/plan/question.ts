import type { Plan, PlanItem } from "../../../core/importing/plan.ts";
import { writesOf } from "../../../library/steps/import-steps.ts";
import { pluralOf } from "../../../kinds/id-spaces.ts";
import { kinds } from "../../../kinds/registry.ts";
import type { OutputOptions } from "../terminal/theme.ts";
import { planCounts, planReasons, planText } from "../import.ts";
import { mappedText } from "./mapped.ts";
import { alteredText } from "./altered.ts";
import { conflictsText } from "./conflicts.ts";
import { removalsText } from "./removals.ts";
import { overwrittenText, updatesText } from "./updates.ts";

/** A plan of more records is summed up before the question: its table would push the rest off the screen. */
const MOST_ROWS = 20;

/** The plan as it is shown before a question: whole if it is short or with `--verbose`, else summed up. The counts come last. */
export function questionText(plan: Plan, display: OutputOptions): string {
  if (plan.items.length <= MOST_ROWS || display.verbose === true) return planText(plan, display);
  const sums = kinds.flatMap(({ name }) => {
    const items = plan.items.filter(({ kind }) => kind === name);
    return items.length === 0 ? [] : [`${display.theme.heading(pluralOf(name))}: ${sumText(items)}\n`];
  });
  const { items } = plan;
  const parts = [
    removalsText(plan, display),
    mappedText(items, display),
    updatesText(items, display),
    overwrittenText(items, display),
    conflictsText(items, display),
    alteredText(items, display),
    planReasons(plan, display),
  ];
  return [...sums, "\n", ...parts, `${planCounts(plan)}\n`].join("");
}

/** `Make these 10 changes on dev (http://localhost:8000)?` @param target as people know it */
export function changesQuestion(plan: Plan, target: string): string {
  const count = writesOf(plan);
  return `Make ${count === 1 ? "this change" : `these ${count} changes`} on ${target}?`;
}

const WORDS: readonly (readonly [string, (item: PlanItem) => boolean])[] = [
  ["to create", ({ action }) => action === "create"],
  ["to update", ({ action }) => action === "update"],
  ["blocked", ({ action }) => action === "blocked"],
  ["left alone", ({ action, code }) => action === "skip" && code !== "matched"],
  ["matched", ({ action, code }) => action === "skip" && code === "matched"],
  ["unchanged", ({ action }) => action === "unchanged"],
];

/** `120 to create, 4 to update`: what there is none of is left out. */
function sumText(items: readonly PlanItem[]): string {
  const counts = WORDS.map(([word, isOne]) => ({ word, count: items.filter(isOne).length }));
  return counts.flatMap(({ word, count }) => (count === 0 ? [] : [`${count} ${word}`])).join(", ");
}
