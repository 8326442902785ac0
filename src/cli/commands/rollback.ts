import { basename } from "node:path";
import { StackferryError } from "../../core/errors.ts";
import type { Outcome } from "../../core/outcome.ts";
import {
  JOURNALS_HINT,
  listRuns,
  prepareRollback,
  undoRun,
  type PreparedRollback,
  type StackRun,
  type UndoneRun,
} from "../../library/rollback.ts";
import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import type { CommandResult } from "../output/document.ts";
import { refuseOtherThanPage, withPlanPage } from "../output/report-file.ts";
import { exitCodeOfEnd, exitCodeOfError, repeatAdvice } from "../program/exit-codes.ts";
import { canAsk, confirm, refuseUnconfirmed, type Session } from "../program/session.ts";
import {
  acceptHiddenLossFlag,
  fitLimitsFlag,
  journalsFlag,
  stackToWriteArgument,
  yesFlag,
  type Arguments,
  type Flags,
} from "../program/flags.ts";
import { documentOutput } from "../import/result.ts";
import { isUndone } from "../../rollback/outcomes.ts";
import { addressInWords, timeText } from "../../report/view/words.ts";
import type { StackIdentity } from "../../core/records/record.ts";
import { printableText } from "../../core/text/printable.ts";
import type { Note } from "../../report/document.ts";
import type { PlannedRun } from "../../report/view/plan.ts";
import { renderTable } from "../output/table.ts";
import type { OutputOptions } from "../output/terminal.ts";
import { defineCommand } from "../program/define-command.ts";
import { journalPlaceOf } from "../inputs/config.ts";
import { lockStack, openClient, resolveStack, stackNameAndAddress, toReportedStack } from "../inputs/stack.ts";

const flags = {
  to: { ...stackToWriteArgument, describe: "STACK that the import wrote to: a name or an address" },
  list: { type: "boolean", describe: "Show the runs on the stack: number, when, from what, what each wrote" },
  run: {
    describe: "Number of the run to undo (default: the last import; required without a terminal, but for a dry run)",
  },
  "dry-run": { type: "boolean", describe: "Show the plan and write nothing" },
  force: { type: "boolean", describe: "Also undo what somebody or a later run changed since" },
  report: { writes: true, describe: "Write an HTML page: what the run wrote, and what undoing it does" },
  "fit-limits": fitLimitsFlag,
  "accept-hidden-loss": acceptHiddenLossFlag,
  journals: journalsFlag,
  yes: yesFlag,
} as const satisfies Flags;

export const command = defineCommand({
  positionals: {},
  flags,
  examples: [
    ["rollback --to staging --list", "show the runs on the stack"],
    ["rollback --to staging --dry-run", "show what undoing the last import would do"],
    ["rollback --to staging --run 3 --yes", "undo run 3, without asking"],
  ],
  exitCodes: [0, 1, 2, 3, 5, 6, 7, 130],
  run: async (args, session) => {
    const request = { ...args, choice: args.run === undefined ? undefined : runNumber(args.run) };
    return request.list ? showRuns(request, session) : rollBack(request, session);
  },
});

type Request = Arguments<typeof flags> & {
  readonly choice: number | undefined;
};

async function showRuns(request: Request, session: Session): Promise<CommandResult> {
  const { identity } = await resolveStack(request.to, "to", session);
  const { folder } = await journalPlaceOf(request, session);
  const runs = await listRuns(folder, identity);
  return { exitCode: 0, text: (display) => runsText(runs, { folder, identity }, display), details: { folder, runs } };
}

async function rollBack(request: Request, session: Session): Promise<CommandResult> {
  const { choice, force, acceptHiddenLoss, fitLimits, dryRun, yes, report } = request;
  if (choice === undefined && !dryRun && !canAsk(session)) {
    const hint = `add --run NUMBER${yes ? "" : " and --yes"}; rollback --list shows the runs`;
    throw new StackferryError("usage", "without a terminal, --run must name the run to undo", { hint });
  }
  refuseUnconfirmed(request, session);
  await refuseOtherThanPage(report, session);
  const settings = await resolveStack(request.to, "to", session);
  session.runState.to = toReportedStack(settings);
  await using _lock = await lockStack(settings, request, session);
  await using client = openClient(settings, session);
  const { concurrency, consistencyWaitMs } = settings;
  const { folder } = await journalPlaceOf(request, session);
  const job = { folder, client, choice, force, acceptHiddenLoss, fitLimits, concurrency, consistencyWaitMs };
  const plan = await prepareRollback(job, session);
  for (const warning of plan.warnings) session.events({ type: "warning", warning });
  const writes = plan.outcomes.some(({ action }) => action !== "skip" && action !== "blocked");
  if (!dryRun && !yes && writes) {
    session.say(documentOutput(describedRollback(plan, settings), false, session.messageDisplay));
    await confirm(`Undo run ${plan.undoes} on ${stackNameAndAddress(settings)}?`, session);
  }
  const undone = dryRun ? undefined : await undoRun(plan, job, session);
  return await reported(plan, undone, { report, settings }, session);
}

async function reported(
  plan: PreparedRollback,
  undone: UndoneRun | undefined,
  { report, settings }: { readonly report: string | undefined; readonly settings: StackSettings },
  session: Session,
): Promise<CommandResult> {
  const { outcomes, warnings } = undone ?? plan;
  const { undoes } = plan;
  const stopped = undone?.stopped;
  const isWhole = (of: readonly Outcome[]): boolean => isUndone(of, warnings);
  const ofEnd = stopped === undefined ? exitCodeOfEnd(outcomes, isWhole) : exitCodeOfError(stopped);
  const exitCode = undone === undefined ? (isWhole(outcomes) ? 0 : 3) : ofEnd;
  const described = describedRollback(plan, settings, undone?.outcomes);
  const next = [...repeatAdvice(exitCode, stopped), ...described.next];
  const result: CommandResult = {
    exitCode,
    text: (display) => documentOutput({ ...described, next }, false, display),
    outcomes,
    abortedBy: stopped,
    details: { dryRun: undone === undefined, journal: undone && plan.path, undoes },
  };
  return await withPlanPage(result, report, described, session);
}

function runNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new StackferryError("usage", "--run must be the number of a run", { hint: "rollback --list shows the runs" });
}

function describedRollback(
  prepared: PreparedRollback,
  settings: Pick<StackSettings, "stackName" | "identity">,
  outcomes?: readonly Outcome[],
): Omit<PlannedRun, "whole"> {
  const { plan, undoes, runs, path, records } = prepared;
  const run = runs.find(({ number }) => number === undoes);
  const from = run?.from === undefined ? "" : ` from ${run.from}`;
  const what = run?.undoes === undefined ? "imported at" : `the rollback of run ${run.undoes}, at`;
  const begun = run === undefined ? "" : `${from}, ${what} ${timeText(run.begunAt)}`;
  const wasUndone = run?.notUndone === 0;
  const undone = wasUndone ? runs.findLast(({ undoes: other }) => other === undoes)?.begunAt : undefined;
  const end = undone === undefined ? "" : `, undone at ${timeText(undone)}`;
  return {
    plan,
    outcomes,
    planned: prepared.outcomes,
    records: [...records.values()],
    isUndo: true,
    headline: `Run ${undoes}${begun}${end} → ${stackNameAndAddress(settings)} as it was before`,
    notes: lossNotes(prepared),
    facts: [
      ["Stack", addressInWords(settings.identity)],
      ["Journal", path],
      [run?.undoes === undefined ? "Imported at" : "Rolled back at", run && timeText(run.begunAt)],
      ["Undone at", undone && timeText(undone)],
    ],
    next: nextLines(prepared, wasUndone),
  };
}

function lossNotes({ warnings }: PreparedRollback): Note[] {
  const losses = warnings.filter(({ code }) => code === "may-lose-hidden");
  return losses.map(({ code, message }) => ({ text: `${code}: ${message}`, isFailure: true }));
}

function nextLines({ runs, undoes, outcomes }: PreparedRollback, wasUndone: boolean): string[] {
  const already = wasUndone && outcomes.length === 0 ? [`Run ${undoes} is undone already.`] : [];
  const others = runs.filter((run) => run.notUndone > 0 && run.undoes === undefined && run.number !== undoes);
  if (others.length === 0) return already;
  const numbers = others.map(({ number }) => number).join(", ");
  const which = others.length === 1 ? `Run ${numbers} is` : `Runs ${numbers} are`;
  return [...already, `${which} not undone: --list shows all runs, --run NUMBER undoes one of them.`];
}

interface RunsPlace {
  readonly folder: string;
  readonly identity: StackIdentity;
}

function runsText(runs: readonly StackRun[], { folder, identity }: RunsPlace, display: OutputOptions): string {
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
  const rows = runs.map(
    ({ number, begunAt, from, undoes, journal, created, updated, deleted, isCutShort, notUndone }) => [
      String(number),
      begunAt.slice(0, "2026-01-01T00:00:00".length).replace("T", " "),
      undoes === undefined ? (from ?? basename(journal)) : `rollback of run ${undoes}`,
      String(created),
      String(updated),
      String(deleted),
      isCutShort ? "cut short" : "yes",
      notUndone === 0 ? "undone" : String(notUndone),
    ],
  );
  return renderTable({ columns, rows }, display);
}
