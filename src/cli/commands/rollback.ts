import { resolve } from "node:path";
import { StackferryError } from "../../core/errors.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { PreparedRollback, UndoneRun } from "../../library/rollback.ts";
import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import type { CommandResult } from "../output/document.ts";
import { refuseOtherThanPage, withPlanPage } from "../output/report-file.ts";
import { defineCommand } from "../program/command.ts";
import { exitCodeOfEnd, exitCodeOfError, repeatAdvice } from "../program/exit-codes.ts";
import type { Arguments, Flags } from "../program/flag.ts";
import type { Session } from "../program/session.ts";
import {
  acceptHiddenLossFlag,
  fitLimitsFlag,
  journalsFlag,
  stackToWriteArgument,
  yesFlag,
} from "../program/shared-flags.ts";
import { canAsk, confirm, refuseUnconfirmed } from "../prompts/confirm.ts";

const flags = {
  to: { ...stackToWriteArgument, describe: "STACK that the import wrote to: a name or an address" },
  list: { type: "boolean", describe: "Show the runs on the stack: number, when, from what, what each wrote" },
  run: {
    describe: "Number of the run to undo (default: the last import; required without a terminal, but for a dry run)",
  },
  "dry-run": { type: "boolean", describe: "Show the plan and write nothing" },
  force: { type: "boolean", describe: "Also undo records that somebody changed since, or that other records use" },
  report: { writes: true, describe: "Write an HTML page: what the run wrote, and what undoing it does" },
  "fit-limits": fitLimitsFlag,
  "accept-hidden-loss": acceptHiddenLossFlag,
  journals: journalsFlag,
  yes: yesFlag,
} as const satisfies Flags;

export const rollbackCommand = defineCommand({
  name: "rollback",
  group: "Move",
  describe: "Undo one run of an import on a stack",
  positionals: {},
  flags,
  examples: [
    ["rollback --to staging --list", "show the runs on the stack"],
    ["rollback --to staging --dry-run", "show what undoing the last import would do"],
    ["rollback --to staging --run 3 --yes", "undo run 3, without asking"],
  ],
  exitCodes: [0, 1, 2, 3, 5, 6, 7, 130],
  handler: (args) => {
    const request = { ...args, choice: args.run === undefined ? undefined : runNumber(args.run) };
    return (session) => (request.list ? showRuns(request, session) : rollBack(request, session));
  },
});

type Request = Arguments<typeof flags> & {
  /** The number of the run to undo. */
  readonly choice: number | undefined;
};

async function showRuns(request: Request, session: Session): Promise<CommandResult> {
  const { listRuns } = await import("../../library/rollback.ts");
  const { runsText } = await import("../output/rollback.ts");
  const { journalsFolder } = await import("../wiring/config.ts");
  const { resolveStack } = await import("../wiring/stack.ts");
  const { identity } = await resolveStack(request.to, "to", session);
  const folder = await journalsFolder(request, session);
  const runs = await listRuns(folder, identity);
  return { exitCode: 0, text: (display) => runsText(runs, { folder, identity }, display), details: { folder, runs } };
}

/** Undoes a run: plans from the journal and the target's lists, shows the plan, asks, carries it out. */
async function rollBack(request: Request, session: Session): Promise<CommandResult> {
  const { prepareRollback, undoRun } = await import("../../library/rollback.ts");
  const { describedRollback } = await import("../output/rollback.ts");
  const { documentOutput } = await import("../import/result.ts");
  const { journalsFolder } = await import("../wiring/config.ts");
  const { lockStack, openClient, resolveStack, stackNameAndAddress, toReportedStack } =
    await import("../wiring/stack.ts");
  const { choice, force, acceptHiddenLoss, fitLimits, dryRun, yes, report } = request;
  if (choice === undefined && !dryRun && !canAsk(session)) {
    const hint = `add --run NUMBER${yes ? "" : " and --yes"}; rollback --list shows the runs`;
    throw new StackferryError("usage", "without a terminal, --run must name the run to undo", { hint });
  }
  refuseUnconfirmed(request, session);
  if (report !== undefined) await refuseOtherThanPage(resolve(session.io.cwd, report));
  const settings = await resolveStack(request.to, "to", session);
  session.runState.to = toReportedStack(settings);
  await using _lock = await lockStack(settings, request, session);
  await using client = openClient(settings, session);
  const { concurrency, consistencyWaitMs, rate } = settings;
  const folder = await journalsFolder(request, session);
  const job = { folder, client, choice, force, acceptHiddenLoss, fitLimits, concurrency, consistencyWaitMs, rate };
  const plan = await prepareRollback(job, session);
  for (const warning of plan.warnings) session.events({ type: "warning", warning });
  if (dryRun) return await reported(plan, undefined, { report, settings }, session);
  const writes = plan.outcomes.some(({ action }) => action !== "skip" && action !== "blocked");
  if (!yes && writes) {
    session.say(documentOutput(describedRollback(plan, settings), false, session.messageDisplay));
    await confirm(`Undo run ${plan.undoes} on ${stackNameAndAddress(settings)}?`, session);
  }
  return await reported(plan, await undoRun(plan, job, session), { report, settings }, session);
}

/** Reports a plan, or what undoing it did. Writes the page for `--report`, too. */
async function reported(
  plan: PreparedRollback,
  undone: UndoneRun | undefined,
  { report, settings }: { readonly report: string | undefined; readonly settings: StackSettings },
  session: Session,
): Promise<CommandResult> {
  const { isUndone } = await import("../../rollback/outcomes.ts");
  const { documentOutput } = await import("../import/result.ts");
  const { describedRollback } = await import("../output/rollback.ts");
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
    ...(stopped !== undefined && { abortedBy: stopped }),
    details: { dryRun: undone === undefined, ...(undone !== undefined && { journal: plan.path }), undoes },
  };
  return await withPlanPage(result, report, () => described, session);
}

function runNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new StackferryError("usage", "--run must be the number of a run", { hint: "rollback --list shows the runs" });
}
