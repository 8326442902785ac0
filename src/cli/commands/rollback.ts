import { resolve } from "node:path";
import { StackferryError } from "../../core/errors.ts";
import { stackToWrite } from "../flags/arguments.ts";
import { planUndo, undoImport, undoOutcomes } from "../../library/rollback.ts";
import type { CommandResult } from "../output/document.ts";
import { rollbackEndText, rollbackPlanText } from "../output/import.ts";
import { defineCommand } from "../program/define-command.ts";
import { exitCodeOf, exitCodeOfOutcomes } from "../program/exit-codes.ts";
import type { Session } from "../program/session.ts";
import { canAsk, confirm } from "../prompts/confirm.ts";
import { openClient, reported, resolveFor, stackTitle } from "../wiring/stack.ts";

export const rollbackCommand = defineCommand("rollback", {
  positionals: { journal: { type: "string", demandOption: true, describe: "Journal of the import" } },
  flags: {
    to: { ...stackToWrite, describe: "STACK the import wrote: a configured name or an address" },
    "dry-run": { type: "boolean", describe: "Show the plan and write nothing" },
    force: { type: "boolean", describe: "Undo also what was changed since, or is used by something else" },
    yes: { type: "boolean", describe: "Do not ask before writing" },
  },
  examples: [
    ["rollback backup.zip.1a2b3c4d.journal --to staging --dry-run", "what would be undone"],
    ["rollback backup.zip.1a2b3c4d.journal --to staging --yes", "undo it, without asking"],
  ],
  exitCodes: [0, 1, 2, 3, 5, 6, 7, 130],
  prepare: (args) => {
    const { journal, to, force = false, yes = false } = args;
    const dryRun = args["dry-run"] ?? false;
    if (journal === "") throw new StackferryError("usage", "the journal's name is empty");
    return (session) => runRollback({ journal, to, force, yes, dryRun }, session);
  },
});

/** `stackferry rollback`, normalised. */
export interface RollbackRequest {
  readonly journal: string;
  readonly to: string;
  readonly force: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
}

/** Undoes one import: plans from its journal and the target's lists, shows the plan, asks, undoes. */
export async function runRollback(request: RollbackRequest, session: Session): Promise<CommandResult> {
  const path = resolve(session.io.cwd, request.journal);
  const settings = await resolveFor(request.to, "to", session);
  session.runState.to = reported(settings);
  await using client = openClient(settings, session);
  const job = { path, client, force: request.force, concurrency: settings.concurrency };
  const items = await planUndo(job, session);
  if (request.dryRun) {
    const outcomes = undoOutcomes(items);
    return { exitCode: 0, text: (display) => rollbackPlanText(items, display), outcomes, extra: { dryRun: true } };
  }
  const undoes = items.some(({ action }) => action !== "skip");
  if (!request.yes && canAsk(session) && undoes) {
    session.say(rollbackPlanText(items, session.err));
    await confirm(`Undo this on ${stackTitle(settings)}?`, session);
  }
  // Between the plan that was shown and the answer anything may have happened: what counts is what is there now.
  const { outcomes, stopped } = await undoImport(job, session);
  return {
    exitCode: stopped === undefined ? exitCodeOfOutcomes(outcomes) : exitCodeOf(stopped),
    text: (display) => rollbackEndText(outcomes, display),
    outcomes,
    ...(stopped !== undefined && { stopped }),
    extra: { dryRun: false, journal: path },
  };
}
