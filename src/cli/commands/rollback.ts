import { defineCommand } from "../program/parse/define-command.ts";
import type { ArgumentsOf } from "../program/parse/outlines.ts";
import { parseConsistencyWait } from "../flags/arguments.ts";
import { StackferryError } from "../../core/errors.ts";
import { resolve } from "node:path";
import { readJournalRuns, prepareRollback, undoImport } from "../../library/rollback.ts";
import { isUndone } from "../../rollback/outcomes.ts";
import type { RunChoice } from "../../rollback/runs.ts";
import type { CommandResult } from "../output/document.ts";
import { journalRunsText, rollbackResultText, rollbackPlanText } from "../output/rollback.ts";
import { REPEAT_HELPS } from "../output/outcomes.ts";
import type { OutputOptions } from "../output/terminal.ts";
import { exitCodeOfEnd, exitCodeOfError } from "../program/exit-codes.ts";
import type { Session } from "../program/session.ts";
import { confirm, refuseUnconfirmed } from "../prompts/confirm.ts";
import { journalAccessOf } from "../wiring/state-folder.ts";
import { lockStack, openClient, toReportedStack, resolveStack, stackNameAndAddress } from "../wiring/stack.ts";

export const rollbackCommand = defineCommand("rollback", {
  prepare: (args) => {
    const choice = runChoice(args.run);
    const consistencyWaitMs = parseConsistencyWait(args.consistencyWait);
    if (args.journal === "") throw new StackferryError("usage", "the journal's name is empty");
    if (!args.list && args.to === undefined) {
      const hint = "name the stack that the import wrote, or show the runs with --list";
      throw new StackferryError("usage", "--to is missing", { hint });
    }
    return { ...args, choice, consistencyWaitMs };
  },
  run: async (request, session) =>
    request.list || request.to === undefined ? listRuns(request, session) : rollBack(request, request.to, session),
});

async function listRuns(
  { journal, acceptForeignJournal }: Pick<ArgumentsOf<"rollback">, "journal" | "acceptForeignJournal">,
  session: Session,
): Promise<CommandResult> {
  const runs = await readJournalRuns(resolve(session.io.cwd, journal), journalAccessOf(session, acceptForeignJournal));
  return { exitCode: 0, text: (display) => journalRunsText(runs, display), details: { runs } };
}

/** Undoes runs of an import: plans from the journal and the target's lists, shows the plan, asks, carries it out. */
async function rollBack(
  request: ArgumentsOf<"rollback"> & { readonly choice: RunChoice; readonly consistencyWaitMs: number },
  to: string,
  session: Session,
): Promise<CommandResult> {
  refuseUnconfirmed(request, session);
  const path = resolve(session.io.cwd, request.journal);
  const settings = await resolveStack(to, "to", session);
  session.runState.to = toReportedStack(settings);
  await using _lock = await lockStack(settings, request, session);
  await using client = openClient(settings, session);
  const { choice, force, acceptHiddenLoss, fitLimits, consistencyWaitMs } = request;
  const access = journalAccessOf(session, request.acceptForeignJournal);
  const { concurrency } = settings;
  const job = { path, access, client, choice, force, acceptHiddenLoss, fitLimits, concurrency, consistencyWaitMs };
  const plan = await prepareRollback(job, session);
  for (const warning of plan.warnings) session.events({ type: "warning", warning });
  const { runs, chosen } = plan;
  if (request.dryRun) {
    const { outcomes, warnings } = plan;
    const text = (display: OutputOptions): string => rollbackPlanText(plan, display);
    const exitCode = isUndone(outcomes, warnings) ? 0 : 3;
    return { exitCode, text, outcomes, details: { dryRun: true, runs, undoes: chosen } };
  }
  const undoes = plan.outcomes.some(({ action }) => action !== "skip" && action !== "blocked");
  if (!request.yes && undoes) {
    session.say(rollbackPlanText(plan, session.messageDisplay));
    await confirm(`Undo this on ${stackNameAndAddress(settings)}?`, session);
  }
  // Journal and target can change between the plan and the answer, so `undoImport` plans again.
  const { outcomes, warnings, stopped } = await undoImport(job, session, plan);
  const exitCode =
    stopped !== undefined ? exitCodeOfError(stopped) : exitCodeOfEnd(outcomes, (of) => isUndone(of, warnings));
  return {
    exitCode,
    text: (display) =>
      `${rollbackResultText(plan, outcomes, display)}${stopped === undefined && exitCode === 6 ? REPEAT_HELPS : ""}`,
    outcomes,
    abortedBy: stopped,
    details: { dryRun: false, journal: path, runs, undoes: chosen },
  };
}

function runChoice(text: string): RunChoice {
  if (text === "last" || text === "all") return text;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new StackferryError("usage", "--run must be last, all or the number of a run", {
    hint: "--list shows the runs",
  });
}
