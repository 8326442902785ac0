import { parseDuration } from "../../config/duration.ts";
import { StackferryError } from "../../domain/errors.ts";
import { defineCommand } from "../define-command.ts";

export const checkCommand = defineCommand("check", {
  positionals: {
    place: { type: "string", demandOption: true, describe: "PLACE: a folder, s3://…, a configured name" },
  },
  flags: {
    subset: {
      type: "string",
      requiresArg: true,
      describe: "Read the newest and this much of the rest, for instance 5%",
    },
    newest: { type: "boolean", describe: "Read the newest of each stack only" },
    "max-age": { type: "string", requiresArg: true, describe: "Exit 3 if a stack's newest good backup is older" },
    stack: { type: "string", array: true, requiresArg: true, describe: "Only this stack, which must have a backup" },
    "restore-drill": { type: "boolean", describe: "Restore the newest of each stack onto a sandbox on this machine" },
  },
  examples: [
    ["check /var/backups/stacks --newest --max-age 26h", "what a monitor calls"],
    ["check s3://backups/stacks --subset 5%", "in time, every backup is read"],
    ["check offsite --restore-drill", "are they any good?"],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 130],
  prepare: (args) => {
    const maxAgeMs = args["max-age"] === undefined ? undefined : parseDuration(args["max-age"]);
    if (args["max-age"] !== undefined && maxAgeMs === undefined) {
      throw new StackferryError("usage", "--max-age wants a duration, for instance 26h or 7d");
    }
    if (args.newest === true && args.subset !== undefined) {
      throw new StackferryError("usage", "--newest and --subset exclude each other");
    }
    const request = {
      place: args.place,
      stacks: args.stack ?? [],
      percent: args.newest === true ? 0 : percentOf(args.subset),
      maxAgeMs,
      drill: args["restore-drill"] ?? false,
    };
    return async (session) => {
      const { runCheck } = await import("../runs/run-check.ts");
      return runCheck(request, session);
    };
  },
});

function percentOf(text: string | undefined): number {
  if (text === undefined) return 100;
  const percent = /^\d+(?:\.\d+)?%$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (percent >= 0 && percent <= 100) return percent;
  throw new StackferryError("usage", "--subset wants a share, for instance 5%");
}
