import { basename } from "node:path";
import type { PreparedRollback, StackRun } from "../../library/rollback.ts";
import { countOutcomes, nameOfOutcome, type Outcome } from "../../core/outcome.ts";
import { reasonLines } from "../../report/view/sections.ts";
import { linesText, failuresText } from "./outcomes.ts";
import { renderTable } from "./table.ts";
import type { OutputOptions } from "./terminal.ts";

/** Renders a rollback plan: the action for each record that the runs wrote, and the counts last. */
export function rollbackPlanText(plan: PreparedRollback, display: OutputOptions): string {
  const { outcomes } = plan;
  const rows = outcomes.map((outcome) => {
    const { kind, action, code = "" } = outcome;
    const paint =
      action === "skip" ? display.theme.faint : action === "blocked" ? display.theme.bad : display.theme.notice;
    return [{ text: PLANNED[action] ?? action, paint }, kind, nameOfOutcome(outcome), code];
  });
  const columns = ["ACTION", "KIND", "NAME", "WHY"];
  const count = (...actions: readonly Outcome["action"][]): number =>
    outcomes.filter(({ action }) => actions.includes(action)).length;
  const back = count("create") === 0 ? "" : `, ${count("create")} to create again`;
  const countsLine = `Plan: ${count("delete")} to delete, ${count("update")} to put back${back}, ${count("skip", "blocked")} left alone.\n`;
  const table = outcomes.length === 0 ? "" : renderTable({ columns, rows }, display);
  return `${table}${reasonsText(outcomes, display)}${hiddenSettingsText(plan, display)}${countsLine}${nextText(plan)}`;
}

/** Names the tiles whose settings do not come back. */
function hiddenSettingsText({ warnings }: PreparedRollback, display: OutputOptions): string {
  const losses = warnings.filter(({ code }) => code === "may-lose-hidden");
  return linesText(
    losses.map(({ code, message }) => ({ mark: "!", text: `${code}: ${message}` })),
    display,
  );
}

function reasonsText(records: Parameters<typeof reasonLines>[0], display: OutputOptions): string {
  return linesText(reasonLines(records, display.verbose === true), display);
}

const PLANNED: Readonly<Partial<Record<Outcome["action"], string>>> = { update: "put back", create: "create again" };

const DONE = {
  delete: "deleted",
  update: "put back",
  create: "created again",
  skip: "left alone",
  blocked: "blocked",
  failed: "failed",
};

/** Renders the end of a rollback: the failures, the records left alone, the counts last. */
export function rollbackResultText(
  plan: PreparedRollback,
  outcomes: readonly Outcome[],
  display: OutputOptions,
): string {
  const counts = countOutcomes(outcomes);
  const exceptions = outcomes.filter(
    ({ action, status, code = "" }) =>
      (status === "done" && code === "cascade-delete") || (action === "skip" && status !== "failed"),
  );
  const parts = Object.entries(DONE).flatMap(([action, word]) => {
    const count = counts[action] ?? 0;
    return count === 0 ? [] : [`${count} ${word}`];
  });
  const done = `Done: ${parts.length === 0 ? "nothing to undo" : parts.join(", ")}.\n`;
  return `${failuresText(outcomes, display)}${reasonsText(exceptions, display)}${hiddenSettingsText(plan, display)}${done}${nextText(plan)}`;
}

/** Says that nothing is left to undo, or which runs on the stack are not undone. */
function nextText({ runs, undoes, outcomes }: PreparedRollback): string {
  const isUndoneAlready = runs.some(({ number, notUndone }) => number === undoes && notUndone === 0);
  const already = isUndoneAlready && outcomes.length === 0 ? `Run ${undoes} is undone already.\n` : "";
  const others = runs.filter((run) => run.notUndone > 0 && run.undoes === undefined && run.number !== undoes);
  if (others.length === 0) return already;
  const numbers = others.map(({ number }) => number).join(", ");
  const which = others.length === 1 ? `Run ${numbers} is` : `Runs ${numbers} are`;
  return `${already}${which} not undone: --list shows all runs, --run NUMBER undoes one of them.\n`;
}

export function runsText(runs: readonly StackRun[], display: OutputOptions): string {
  if (runs.length === 0) return "No run on this stack wrote anything.\n";
  const columns = [
    { right: "RUN" },
    "BEGUN (UTC)",
    "FROM",
    { right: "CREATED" },
    { right: "UPDATED" },
    { right: "DELETED" },
    "ENDED",
    { right: "TO UNDO" },
  ];
  const rows = runs.map(({ number, begunAt, from, undoes, journal, created, updated, deleted, result, notUndone }) => [
    String(number),
    begunAt.slice(0, "2026-01-01T00:00:00".length).replace("T", " "),
    undoes === undefined ? (from ?? basename(journal)) : `rollback of run ${undoes}`,
    String(created),
    String(updated),
    String(deleted),
    result === "open" ? "cut short" : result,
    notUndone === 0 ? "undone" : String(notUndone),
  ]);
  return renderTable({ columns, rows }, display);
}
