import { resolve } from "node:path";
import { StackferryError } from "../../core/errors.ts";
import { stackToWrite } from "../flags/arguments.ts";
import { journalRuns, planUndo, undoImport, undoOutcomes } from "../../library/rollback.ts";
import type { RunChoice } from "../../rollback/select-runs.ts";
import type { CommandResult } from "../output/document.ts";
import { journalRunsText, rollbackEndText, rollbackPlanText } from "../output/rollback.ts";
import type { OutputOptions } from "../output/theme.ts";
import { defineCommand } from "../program/parse/define-command.ts";
import { exitCodeOf, exitCodeOfOutcomes } from "../program/exit-codes.ts";
import type { Session } from "../program/session.ts";
import { canAsk, confirm } from "../prompts/confirm.ts";
import { journalAccessOf } from "../wiring/journal-access.ts";
import { openClient, reported, resolveFor, stackTitle } from "../wiring/stack.ts";

export const rollbackCommand = defineCommand("rollback", {
  positionals: { journal: { type: "string", demandOption: true, describe: "Journal of the import" } },
  flags: {
    // Not demanded: `--list` asks no stack.
    to: {
      ...stackToWrite,
      demandOption: false,
      describe: "STACK that the import wrote: a configured name or an address",
    },
    run: {
      type: "string",
      default: "last",
      requiresArg: true,
      describe: "Which run of the journal to undo: last, all, or its number",
    },
    list: { type: "boolean", describe: "Show the runs of the journal: number, when, what each wrote" },
    "dry-run": { type: "boolean", describe: "Show the plan and write nothing" },
    force: { type: "boolean", describe: "Also undo records that were changed since, or that something else uses" },
    "trust-journal": { type: "boolean", describe: "Accept a journal of another machine or of an earlier version" },
    yes: { type: "boolean", describe: "Do not ask before writing" },
  },
  examples: [
    ["rollback backup.zip.1a2b3c4d.journal --list", "show the runs of the journal"],
    ["rollback backup.zip.1a2b3c4d.journal --to staging --dry-run", "show what would be undone of the last run"],
    ["rollback backup.zip.1a2b3c4d.journal --to staging --run all --yes", "undo all runs, without asking"],
  ],
  exitCodes: [0, 1, 2, 3, 5, 6, 7, 130],
  prepare: (args) => {
    const { journal, to, list = false, force = false, yes = false } = args;
    const dryRun = args["dry-run"] ?? false;
    const trustJournal = args["trust-journal"] ?? false;
    const choice = runChoice(args.run);
    if (journal === "") throw new StackferryError("usage", "the journal's name is empty");
    if (list) return (session) => runList({ journal, trustJournal }, session);
    if (to === undefined) {
      const hint = "name the stack that the import wrote, or show the runs with --list";
      throw new StackferryError("usage", "--to is missing", { hint });
    }
    return (session) => runRollback({ journal, to, choice, force, yes, dryRun, trustJournal }, session);
  },
});

function runChoice(text: string): RunChoice {
  if (text === "last" || text === "all") return text;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new StackferryError("usage", "--run wants last, all or the number of a run", { hint: "--list shows the runs" });
}

/** `stackferry rollback --list`, normalised. */
export interface ListRequest {
  readonly journal: string;
  readonly trustJournal: boolean;
}

/** Shows the runs of a journal. */
async function runList({ journal, trustJournal }: ListRequest, session: Session): Promise<CommandResult> {
  const runs = await journalRuns(resolve(session.io.cwd, journal), journalAccessOf(session, trustJournal));
  return { exitCode: 0, text: (display) => journalRunsText(runs, display), extra: { runs } };
}

/** `stackferry rollback`, normalised. */
export interface RollbackRequest extends ListRequest {
  readonly to: string;
  readonly choice: RunChoice;
  readonly force: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
}

/** Undoes runs of an import: plans from its journal and the target's lists, shows the plan, asks, undoes. */
export async function runRollback(request: RollbackRequest, session: Session): Promise<CommandResult> {
  const path = resolve(session.io.cwd, request.journal);
  const settings = await resolveFor(request.to, "to", session);
  session.runState.to = reported(settings);
  await using client = openClient(settings, session);
  const { choice, force } = request;
  const access = journalAccessOf(session, request.trustJournal);
  const job = { path, access, client, choice, force, concurrency: settings.concurrency };
  const plan = await planUndo(job, session);
  for (const warning of plan.warnings) session.events({ type: "warning", warning });
  const { items, runs, chosen } = plan;
  if (request.dryRun) {
    const outcomes = undoOutcomes(items);
    const text = (display: OutputOptions): string => rollbackPlanText(plan, display);
    return { exitCode: 0, text, outcomes, extra: { dryRun: true, runs, undoes: chosen } };
  }
  const undoes = items.some(({ action }) => action !== "skip");
  if (!request.yes && canAsk(session) && undoes) {
    session.say(rollbackPlanText(plan, session.err));
    await confirm(`Undo this on ${stackTitle(settings)}?`, session);
  }
  // Between the plan that was shown and the answer anything may have happened: what counts is what is there now.
  const { outcomes, stopped } = await undoImport(job, session);
  return {
    exitCode: stopped === undefined ? exitCodeOfOutcomes(outcomes) : exitCodeOf(stopped),
    text: (display) => rollbackEndText(plan, outcomes, display),
    outcomes,
    ...(stopped !== undefined && { stopped }),
    extra: { dryRun: false, journal: path, runs, undoes: chosen },
  };
}
