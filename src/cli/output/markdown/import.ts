import type { Outcome } from "../../../core/outcome.ts";
import { isIncomplete, isLeftAlone, nameOrId } from "../../../core/outcome.ts";
import type { Plan, PlanItem } from "../../../core/plan/plan.ts";
import { nounOf } from "../../../kinds/id-spaces.ts";
import type { ReportedStack } from "../document.ts";
import { importCounts, planCounts } from "../import.ts";
import { fittedRows, transformedRows } from "../plan/altered.ts";
import { changeRow } from "../../../report/view/changes.ts";
import { mappedMembers } from "../plan/mapped.ts";
import { plain } from "./escape.ts";
import { markdownSection, markdownTable } from "./table.ts";

/**
 * The actions listed, those that need attention first. Unchanged records and records that were only looked up are counted, not
 * listed.
 */
const ORDER = ["failed", "blocked", "delete", "create", "update", "left alone"];

/** A plan in Markdown: the counts, the action for each record, the changes, and what is missing. */
export function planMarkdown(plan: Plan, outcomes: readonly Outcome[], target: ReportedStack): string {
  const { items, unresolved, missingSecrets } = plan;
  const missing = unresolved.map(({ space, id, name, reason, neededBy }) => [
    nounOf(space),
    name === "" ? id : name,
    {
      missing: "no match on the target",
      ambiguous: "more than one match on the target",
      dead: "not in the archive either",
    }[reason],
    String(neededBy),
  ]);
  const secrets = missingSecrets.map(({ key, name, pointer, rules, around }) => {
    return [name === "" ? key : name, pointer, rules.join(", "), around.join("; ")];
  });
  const given = items.flatMap((item) => (item.mapped ? [[nameOrId(item), mappedMembers(item.mapped)]] : []));
  const exposed = plan.warnings
    .filter(({ code }) => code.startsWith("placeholder-in-"))
    .map(({ code, message }) => [code, message]);
  return [
    `**${plain(planCounts(plan))}** Onto ${plain(target.label)}; nothing is written yet.\n`,
    recordTable(outcomes),
    updatesTable(items),
    conflictsTable(items),
    markdownSection("Created with what the map file gives", markdownTable(["record", "members"], given)),
    alteredTables(items),
    markdownSection("Not matched", markdownTable(["kind", "name", "why", "records that need it"], missing)),
    markdownSection("Secrets that others would see", markdownTable(["code", "what"], exposed)),
    markdownSection("Secrets to supply", markdownTable(["record", "member", "rules", "where it goes"], secrets)),
  ].join("");
}

/** The result of an import, in Markdown. */
export function importMarkdown(plan: Plan, outcomes: readonly Outcome[], target: ReportedStack): string {
  const counts = plain(importCounts(outcomes));
  const { items } = plan;
  const changes = [updatesTable(items), conflictsTable(items), alteredTables(items)];
  return [`**${counts}** Onto ${plain(target.label)}.\n`, recordTable(outcomes), ...changes].join("");
}

function alteredTables(items: readonly PlanItem[]): string {
  const columns = ["record", "member", "what is written"];
  return [
    markdownSection("Changed on the way", markdownTable(columns, transformedRows(items))),
    markdownSection("Fitted", markdownTable(columns, fittedRows(items))),
  ].join("");
}

function recordTable(outcomes: readonly Outcome[]): string {
  const listed = outcomes
    .map((outcome) => ({ outcome, state: stateOf(outcome) }))
    .filter(({ state }) => ORDER.includes(state))
    .toSorted((left, right) => ORDER.indexOf(left.state) - ORDER.indexOf(right.state));
  const rows = listed.map(({ outcome, state }) => [state, nounOf(outcome.kind), nameOrId(outcome), whyOf(outcome)]);
  return rows.length === 0 ? "" : `\n${markdownTable(["result", "kind", "name", "why"], rows)}`;
}

function stateOf(outcome: Outcome): string {
  if (outcome.action === "blocked") return "blocked";
  if (isIncomplete(outcome)) return "failed";
  return isLeftAlone(outcome) ? "left alone" : outcome.action;
}

function whyOf({ code, message, targetName, action }: Outcome): string {
  const renamed = targetName === undefined || action !== "update" ? [] : [`overwrites "${targetName}"`];
  const why = code === undefined ? [] : [message === undefined ? code : `${code}: ${message}`];
  return [...renamed, ...why].join("; ");
}

function updatesTable(items: readonly PlanItem[]): string {
  const rows = items.flatMap((item) =>
    item.action === "update" ? (item.changes ?? []).map((change) => [nameOrId(item), ...changeRow(change)]) : [],
  );
  return markdownSection("What changes", markdownTable(["record", "member", "before", "after"], rows));
}

/** The records that were changed on the target since the last import. */
function conflictsTable(items: readonly PlanItem[]): string {
  const rows = items.flatMap((item) => {
    if (item.since === undefined) return [];
    const { source, target } = item.since;
    const stays = item.action === "update" ? "overwritten" : "left alone";
    return [[nameOrId(item), source.join(", "), target.join(", "), stays]];
  });
  const columns = ["record", "at the source", "on the target", "the target's is"];
  return markdownSection("Changed on the target since the last import", markdownTable(columns, rows));
}
