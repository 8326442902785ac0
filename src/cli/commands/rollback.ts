import { StackferryError } from "../../core/errors.ts";
import {
  acceptHiddenLoss,
  fitLimits,
  consistencyWait,
  parseConsistencyWait,
  stackToWrite,
} from "../flags/arguments.ts";
import type { RunChoice } from "../../rollback/plan.ts";
import { defineCommand } from "../program/parse/define-command.ts";

export const rollbackCommand = defineCommand("rollback", {
  positionals: { journal: { type: "string", demandOption: true, describe: "Journal of the import" } },
  flags: {
    // `--to` is not required, because `--list` needs no stack.
    to: {
      ...stackToWrite,
      demandOption: false,
      describe: "STACK that the import wrote to: a configured name or an address",
    },
    run: {
      type: "string",
      default: "last",
      requiresArg: true,
      describe: "Which run of the journal to undo: last, all, or its number",
    },
    list: { type: "boolean", describe: "Show the runs of the journal: number, when, what each wrote" },
    "dry-run": { type: "boolean", describe: "Show the plan and write nothing" },
    force: { type: "boolean", describe: "Also undo records that somebody changed since, or that other records use" },
    "fit-limits": fitLimits,
    "accept-hidden-loss": acceptHiddenLoss,
    "consistency-wait": consistencyWait,
    "accept-foreign-journal": {
      type: "boolean",
      describe: "Accept a journal of another machine or of an earlier version",
    },
    yes: { type: "boolean", describe: "Do not ask before writing; required without a terminal" },
  },
  examples: [
    ["rollback backup.zip.1a2b3c4d.journal --list", "show the runs of the journal"],
    ["rollback backup.zip.1a2b3c4d.journal --to staging --dry-run", "show what a rollback of the last run would do"],
    ["rollback backup.zip.1a2b3c4d.journal --to staging --run all --yes", "undo all runs, without asking"],
  ],
  exitCodes: [0, 1, 2, 3, 5, 6, 7, 130],
  prepare: (args) => {
    const { journal, to, list = false, force = false, yes = false, "fit-limits": fits = false } = args;
    const dryRun = args["dry-run"] ?? false;
    const accepted = args["accept-hidden-loss"] ?? false;
    const acceptForeignJournal = args["accept-foreign-journal"] ?? false;
    const choice = runChoice(args.run);
    const consistencyWaitMs = parseConsistencyWait(args["consistency-wait"]);
    if (journal === "") throw new StackferryError("usage", "the journal's name is empty");
    if (list)
      return async (session) =>
        (await import("../runs/rollback.ts")).runList({ journal, acceptForeignJournal }, session);
    if (to === undefined) {
      const hint = "name the stack that the import wrote, or show the runs with --list";
      throw new StackferryError("usage", "--to is missing", { hint });
    }
    return async (session) =>
      (await import("../runs/rollback.ts")).runRollback(
        {
          journal,
          to,
          choice,
          force,
          acceptHiddenLoss: accepted,
          fitLimits: fits,
          consistencyWaitMs,
          yes,
          dryRun,
          acceptForeignJournal,
        },
        session,
      );
  },
});

function runChoice(text: string): RunChoice {
  if (text === "last" || text === "all") return text;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new StackferryError("usage", "--run must be last, all or the number of a run", {
    hint: "--list shows the runs",
  });
}
