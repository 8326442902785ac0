import { groupBy } from "../../core/collections.ts";
import type { RecordChange } from "../../core/diff.ts";
import { isLeftAlone, type Outcome } from "../../core/outcome.ts";
import { limitCandidates, type Plan, type PlanItem, type UnresolvedId } from "../../core/plan/plan.ts";
import { shortDigest } from "../../core/plan/plan-digest.ts";
import { sortByKind } from "../../kinds/registry.ts";
import { nounOf, pluralOf } from "../../kinds/nouns.ts";
import { groupByOutcome, stateWord } from "../../report/view/outcomes.ts";
import { planView, type PlanRow, type PlanView } from "../../report/view/plan.ts";
import { nameWithTargetName } from "../../report/view/sections.ts";
import type { ReportedStack } from "./document.ts";
import { escapeMarkdown, markdownList, markdownSection, markdownTable } from "./markdown.ts";
import { sectionText, failuresText } from "./outcomes.ts";
import { renderTable } from "./table.ts";
import type { OutputOptions, Theme } from "./terminal.ts";

const PAINTS: Readonly<Record<string, keyof Theme>> = {
  create: "good",
  update: "notice",
  delete: "bad",
  blocked: "bad",
};

/** Ids of the sections that the text leaves out, because warnings on stderr already name the secrets. */
const ON_STDERR: readonly string[] = ["exposed"];
/** Ids of the sections that the text of a result leaves out, because the text of the plan has shown them. */
const SHOWN_BEFORE: readonly string[] = ["changes", "renamed", "conflicts"];

/** Renders a plan: the action for each record by kind, then the sections, the counts last. */
export function planText(plan: Plan, display: OutputOptions): string {
  const view = planView(plan, { whole: display.verbose === true });
  const kinds = rowsByKind(view);
  return [...[...kinds].map(([kind, rows]) => kindText(kind, rows, display)), sectionsText(view, display)].join("");
}

/** Names a plan by the digits that `--plan` takes. */
export function digestText({ digest = "" }: Plan): string {
  return `\nPlan ${shortDigest(digest)}\n`;
}

export function digestMarkdown({ digest = "" }: Plan): string {
  return `\nPlan \`${digest}\`\n`;
}

/** Maximum number of records of a plan that is shown in full before the question. A longer plan is summarised. */
const MAX_ROWS = 20;

/** Renders a plan for the question: in full if it is short or with `--verbose`, else summarised. The counts come last. */
export function planQuestionText(plan: Plan, display: OutputOptions): string {
  const view = planView(plan);
  if (view.rows.length <= MAX_ROWS || display.verbose === true) return planText(plan, display);
  const kinds = rowsByKind(view);
  const sums = [...kinds].map(([kind, rows]) => {
    // For instance `120 to create, 4 to update`.
    const counts = groupByOutcome(rows).map(({ row, items }) => `${items.length} ${row.countText.planned}`);
    return `${display.theme.heading(pluralOf(kind))}: ${counts.join(", ")}\n`;
  });
  return `${sums.join("")}\n${sectionsText(view, display)}`;
}

/** Renders the result of an import: the failures in a table, the sections, then the counts. */
export function importResultText(view: PlanView, display: OutputOptions): string {
  const { theme } = display;
  const counts = view.counts.replace(/\b\d+ failed\b/, (failed) => theme.bad(failed));
  const sections = view.sections.filter(({ id }) => !SHOWN_BEFORE.includes(id) && id !== "failures");
  const outcomes = view.rows.map(({ outcome }) => outcome);
  const parts = sections.map((section) => sectionText(section, display));
  return `${failuresText(outcomes, display)}${parts.join("")}${counts}\n`;
}

function rowsByKind({ rows }: PlanView): Map<string, PlanRow[]> {
  const kindOf = ({ kind }: PlanRow): string => kind;
  return groupBy(sortByKind(rows, kindOf), kindOf);
}

function kindText(kind: string, items: readonly PlanRow[], display: OutputOptions): string {
  const rows = items.map(({ state, code, outcome }) => [
    { text: stateWord(state), paint: display.theme[PAINTS[state] ?? "faint"] },
    nameWithTargetName(outcome),
    code,
  ]);
  const table = renderTable({ columns: ["ACTION", "NAME", "WHY"], rows }, display);
  return `${display.theme.heading(pluralOf(kind))}\n${table}\n`;
}

function sectionsText({ sections, counts }: PlanView, display: OutputOptions): string {
  const reportSections = sections.filter(({ id }) => !ON_STDERR.includes(id));
  const parts = reportSections.map(
    (section) => `${display.theme.heading(section.title)}\n${sectionText(section, display)}\n`,
  );
  return `${parts.join("")}${counts}\n`;
}

/** Renders a plan or a result in Markdown, without the records that are unchanged or only matched. */
export function planMarkdown(view: PlanView, target: ReportedStack): string {
  const end = view.tense === "planned" ? "; nothing is written yet" : "";
  const listed = view.rows.filter(({ state }) => state !== "unchanged" && state !== "matched");
  const rows = listed.map((row) => [stateWord(row.state), nounOf(row.kind), row.name, whyOf(row)]);
  const table = rows.length === 0 ? "" : `\n${markdownTable(["result", "kind", "name", "why"], rows)}`;
  const sections = view.sections.map(({ title, lines, next }) => {
    const note = next === undefined ? "" : `${lines.length === 0 ? "" : "\n"}${escapeMarkdown(next)}\n`;
    return markdownSection(title, `${markdownList(lines)}${note}`);
  });
  return [`**${escapeMarkdown(view.counts)}** Onto ${escapeMarkdown(target.label)}${end}.\n`, table, ...sections].join(
    "",
  );
}

function whyOf({ code: reasonCode, reason, outcome: { action, targetName } }: PlanRow): string {
  const renamed = targetName === undefined || action !== "update" ? [] : [`overwrites "${targetName}"`];
  const why = [reasonCode, reason].filter((part) => part !== "").join(": ");
  return [...renamed, ...(why === "" ? [] : [why])].join("; ");
}

/** Returns a plan's members for the `--json` document. `moreCandidates` counts the candidates that are not listed. */
export function planMembers(plan: Plan, outcomes: readonly Outcome[]): Record<string, unknown> {
  const { digest, items, matches, unresolved, missingSecrets, mirror } = plan;
  const updates = items.filter(({ action }) => action === "update");
  const conflicts = items.filter(({ since }) => since !== undefined);
  const itemsWith = (member: "mapped" | "transformed" | "fitted") => items.filter((item) => item[member] !== undefined);
  const identityOf = ({ kind, name, sourceId }: PlanItem) => ({ kind, name, sourceId });
  return {
    ...(digest !== undefined && { plan: digest }),
    matches,
    unresolved: unresolved.map(shortenCandidates),
    missingSecrets,
    mapped: itemsWith("mapped").map((item) => ({ ...identityOf(item), members: item.mapped })),
    updates: updates.map(changeOf),
    conflicts: conflicts.map((item) => ({ ...changeOf(item), action: item.action, since: item.since })),
    transformed: itemsWith("transformed").map((item) => ({ ...identityOf(item), changes: item.transformed })),
    fitted: itemsWith("fitted").map((item) => ({ ...identityOf(item), fitted: item.fitted })),
    ...(mirror && {
      mirror: { ...mirror, removals: mirror.removals.map(({ targetRecord: _target, ...removal }) => removal) },
    }),
    leftAlone: outcomes.filter(isLeftAlone),
  };
}

/** Describes an update in the form of a comparison: the target's record before and after the update. */
function changeOf(item: PlanItem): RecordChange & Pick<PlanItem, "targetName"> {
  const { kind, name, sourceId, targetId, targetName, changes = [] } = item;
  return { kind, change: "changed", name, leftId: sourceId, rightId: targetId, targetName, members: changes };
}

function shortenCandidates(entry: UnresolvedId): UnresolvedId & { readonly moreCandidates?: number } {
  const { some, more } = limitCandidates(entry);
  return more === 0 ? entry : { ...entry, candidates: some, moreCandidates: more };
}
