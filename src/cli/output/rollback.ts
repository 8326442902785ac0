import { basename } from "node:path";
import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { StackIdentity } from "../../core/records/record.ts";
import { printableText } from "../../core/text/printable.ts";
import { JOURNALS_HINT, type PreparedRollback, type StackRun } from "../../library/rollback.ts";
import type { Note } from "../../report/document.ts";
import type { PlannedRun } from "../../report/view/plan.ts";
import { addressInWords, timeText } from "../../report/view/words.ts";
import { stackNameAndAddress } from "../wiring/stack.ts";
import { renderTable } from "./table.ts";
import type { OutputOptions } from "./terminal.ts";

/** Says what a rollback is about: the run that it undoes, when that was, and what is left to undo. */
export function describedRollback(
  prepared: PreparedRollback,
  settings: Pick<StackSettings, "stackName" | "identity">,
  outcomes?: readonly Outcome[],
): Omit<PlannedRun, "whole"> {
  const { plan, undoes, runs, path, records } = prepared;
  const run = runs.find(({ number }) => number === undoes);
  const from = run?.from === undefined ? "" : ` from ${run.from}`;
  const begun = run === undefined ? "" : `${from}, imported at ${secondText(run.begunAt)}`;
  const undone = undoneAt(prepared);
  const end = undone === undefined ? "" : `, undone at ${secondText(undone)}`;
  return {
    plan,
    outcomes,
    planned: prepared.outcomes,
    records: [...records.values()],
    subject: `Rollback of run ${undoes} on ${settings.stackName}`,
    ...(outcomes !== undefined && { eyebrow: "Result of a rollback" }),
    isUndo: true,
    headline: `Run ${undoes}${begun}${end} → ${stackNameAndAddress(settings)} as it was before`,
    notes: lossNotes(prepared),
    facts: [
      ["Stack", addressInWords(settings.identity)],
      ["Journal", path],
      ["Imported at", run && timeText(run.begunAt)],
      ["Undone at", undone && timeText(undone)],
    ],
    next: nextLines(prepared),
  };
}

function secondText(moment: string): string {
  return timeText(moment.replace(/\.\d+Z$/, "Z"));
}

/** Returns when a run was undone by an earlier rollback; undefined if it is not undone as a whole. */
function undoneAt({ runs, undoes }: PreparedRollback): string | undefined {
  const isUndone = runs.some(({ number, notUndone }) => number === undoes && notUndone === 0);
  return isUndone ? runs.findLast((run) => run.undoes === undoes)?.begunAt : undefined;
}

/** Names the tiles whose settings do not come back. */
function lossNotes({ warnings }: PreparedRollback): Note[] {
  const losses = warnings.filter(({ code }) => code === "may-lose-hidden");
  return losses.map(({ code, message }) => ({ text: `${code}: ${message}`, isFailure: true }));
}

/** Says that nothing is left to undo, or which runs on the stack are not undone. */
function nextLines({ runs, undoes, outcomes }: PreparedRollback): string[] {
  const isUndoneAlready = runs.some(({ number, notUndone }) => number === undoes && notUndone === 0);
  const already = isUndoneAlready && outcomes.length === 0 ? [`Run ${undoes} is undone already.`] : [];
  const others = runs.filter((run) => run.notUndone > 0 && run.undoes === undefined && run.number !== undoes);
  if (others.length === 0) return already;
  const numbers = others.map(({ number }) => number).join(", ");
  const which = others.length === 1 ? `Run ${numbers} is` : `Runs ${numbers} are`;
  return [...already, `${which} not undone: --list shows all runs, --run NUMBER undoes one of them.`];
}

/** Where the runs of a stack are looked for. */
interface RunsPlace {
  readonly folder: string;
  readonly identity: StackIdentity;
}

export function runsText(runs: readonly StackRun[], { folder, identity }: RunsPlace, display: OutputOptions): string {
  if (runs.length === 0) {
    const none = `No journal in ${folder} has a run on ${addressInWords(identity)} that wrote something.`;
    return `${printableText(none)}\n${JOURNALS_HINT}\n`;
  }
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
