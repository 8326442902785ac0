import { resolve } from "node:path";
import { defineCommand } from "../program/parse/define-command.ts";
import type { ArgumentsOf } from "../program/parse/outlines.ts";
import { StackferryError } from "../../core/errors.ts";
import { listRuns, prepareRollback, undoRun, type PreparedRollback } from "../../library/rollback.ts";
import { programName } from "../../library/steps/version.ts";
import { isUndone } from "../../rollback/outcomes.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { CommandResult } from "../output/document.ts";
import { refuseOtherThanPage, writeReportPage } from "../output/report-file.ts";
import { describedRollback, runsText } from "../output/rollback.ts";
import { documentOutput } from "../import/result.ts";
import { minuteText } from "../../report/view/words.ts";
import type { OutputOptions } from "../output/terminal.ts";
import { exitCodeOfEnd, exitCodeOfError, repeatAdvice } from "../program/exit-codes.ts";
import type { Session } from "../program/session.ts";
import { canAsk, confirm, refuseUnconfirmed } from "../prompts/confirm.ts";
import { redactRecord } from "../../redaction/redact-names.ts";
import type { StackRecord } from "../../core/records/record.ts";
import { createRunRedactor, journalsFolder } from "../wiring/config.ts";
import { lockStack, openClient, toReportedStack, resolveStack, stackNameAndAddress } from "../wiring/stack.ts";

export const rollbackCommand = defineCommand("rollback", {
  prepare: (args) => ({
    ...args,
    choice: args.run === undefined ? undefined : runNumber(args.run),
  }),
  run: async (request, session) => (request.list ? showRuns(request, session) : rollBack(request, session)),
});

type Request = ArgumentsOf<"rollback"> & {
  readonly choice: number | undefined;
};

async function showRuns(request: Request, session: Session): Promise<CommandResult> {
  const { identity } = await resolveStack(request.to, "to", session);
  const folder = await journalsFolder(request, session);
  const runs = await listRuns(folder, identity);
  return { exitCode: 0, text: (display) => runsText(runs, { folder, identity }, display), details: { folder, runs } };
}

/** Undoes a run: plans from the journal and the target's lists, shows the plan, asks, carries it out. */
async function rollBack(request: Request, session: Session): Promise<CommandResult> {
  const { choice, force, acceptHiddenLoss, fitLimits, dryRun, yes } = request;
  if (choice === undefined && !dryRun && !canAsk(session)) {
    const hint = `add --run NUMBER${yes ? "" : " and --yes"}; rollback --list shows the runs`;
    throw new StackferryError("usage", "without a terminal, --run must name the run to undo", { hint });
  }
  refuseUnconfirmed(request, session);
  if (request.report !== undefined) await refuseOtherThanPage(resolve(session.io.cwd, request.report));
  const settings = await resolveStack(request.to, "to", session);
  session.runState.to = toReportedStack(settings);
  await using _lock = await lockStack(settings, request, session);
  await using client = openClient(settings, session);
  const { concurrency, consistencyWaitMs, rate } = settings;
  const folder = await journalsFolder(request, session);
  const job = { folder, client, choice, force, acceptHiddenLoss, fitLimits, concurrency, consistencyWaitMs, rate };
  const plan = await prepareRollback(job, session);
  for (const warning of plan.warnings) session.events({ type: "warning", warning });
  const { undoes } = plan;
  if (dryRun) {
    const { outcomes, warnings } = plan;
    const text = (display: OutputOptions): string => documentOutput(describedRollback(plan, settings), false, display);
    const exitCode = isUndone(outcomes, warnings) ? 0 : 3;
    const result = { exitCode, text, outcomes, details: { dryRun, undoes } } as const;
    return await withPage(result, plan, request, session);
  }
  const writes = plan.outcomes.some(({ action }) => action !== "skip" && action !== "blocked");
  if (!yes && writes) {
    session.say(documentOutput(describedRollback(plan, settings), false, session.messageDisplay));
    await confirm(`Undo run ${undoes} on ${stackNameAndAddress(settings)}?`, session);
  }
  const { outcomes, warnings, stopped } = await undoRun(plan, job, session);
  const exitCode =
    stopped !== undefined ? exitCodeOfError(stopped) : exitCodeOfEnd(outcomes, (of) => isUndone(of, warnings));
  const result: CommandResult = {
    exitCode,
    text: (display) => {
      const described = describedRollback(plan, settings, outcomes);
      const next = [...repeatAdvice(exitCode, stopped), ...described.next];
      return documentOutput({ ...described, next }, false, display);
    },
    outcomes,
    abortedBy: stopped,
    details: { dryRun, journal: plan.path, undoes },
  };
  return await withPage(result, plan, request, session, outcomes);
}

/** Writes the HTML page for `--report`. */
async function withPage(
  result: CommandResult,
  plan: PreparedRollback,
  { report, to }: Request,
  session: Session,
  outcomes?: readonly Outcome[],
): Promise<CommandResult> {
  if (report === undefined) return result;
  const { planPage } = await import("../../report/html/pages.ts");
  // An image that is put back has the target's own secrets in place.
  const redact = await createRunRedactor(session);
  const redacted: StackRecord[] = [];
  for (const record of plan.records.values()) redacted.push(await redactRecord(record, redact));
  const page = planPage({
    ...describedRollback(plan, await resolveStack(to, "to", session), outcomes),
    records: redacted,
    factsSummary: `Run ${plan.undoes}, ${minuteText(new Date(session.startedAt).toISOString())}`,
    madeBy: programName(),
  });
  const { path, bytes } = await writeReportPage(report, page, session);
  session.note(`wrote ${path}\n`);
  return { ...result, details: { ...result.details, report: { path, bytes } } };
}

function runNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new StackferryError("usage", "--run must be the number of a run", { hint: "rollback --list shows the runs" });
}
