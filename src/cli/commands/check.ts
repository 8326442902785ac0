import { parseDuration } from "../../config/time.ts";
import { StackferryError } from "../../core/errors.ts";
import { ofStack, repositoryArgument, signer } from "../flags/arguments.ts";
import { defineCommand } from "../program/parse/define-command.ts";

export const checkCommand = defineCommand("check", {
  positionals: {
    repository: repositoryArgument,
  },
  flags: {
    subset: {
      type: "string",
      requiresArg: true,
      describe: "Read the newest backups and this share of the others, for instance 5%",
    },
    all: { type: "boolean", describe: "Require a backup of every configured stack" },
    newest: { type: "boolean", describe: "Read only the newest backup of each stack" },
    "max-age": {
      type: "string",
      requiresArg: true,
      describe: "Exit 3 if the newest good backup of a stack is older than this, for instance 26h",
    },
    stack: { ...ofStack, describe: "Only this stack, which must have a backup" },
    "accept-suspect": {
      type: "boolean",
      describe: "With --stack: mark its newest backup as good, although it is suspect",
    },
    signer: { ...signer, describe: "Count only backups whose signature this public key (PEM file) verifies" },
    "restore-test": {
      type: "boolean",
      describe: "Restore the newest good backup of each stack onto a sandbox on this machine",
    },
  },
  examples: [
    ["check /var/backups/stacks --all --newest --max-age 26h", "for a monitor: damaged, suspect or too old?"],
    ["check s3://backups/stacks --subset 5%", "read 5% of the older backups in each run, and so all of them in time"],
    ["check offsite --restore-test", "prove that the newest ones can be restored"],
    [
      "check offsite --stack production --newest --accept-suspect",
      "accept a small backup, because most records were deleted on purpose",
    ],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 130],
  prepare: (args) => {
    const maxAgeMs = args["max-age"] === undefined ? undefined : parseDuration(args["max-age"]);
    if (args["max-age"] !== undefined && maxAgeMs === undefined) {
      throw new StackferryError("usage", "--max-age needs a duration, for instance 26h or 7d");
    }
    if (args.newest === true && args.subset !== undefined) {
      throw new StackferryError("usage", "--newest and --subset exclude each other");
    }
    if (args.all === true && args.stack !== undefined) {
      throw new StackferryError("usage", "--all and --stack exclude each other");
    }
    const acceptSuspect = args["accept-suspect"] ?? false;
    if (acceptSuspect && (args.stack ?? []).length === 0) {
      throw new StackferryError("usage", "--accept-suspect needs --stack", {
        hint: "look at the backup of each stack before you accept it",
      });
    }
    const request = {
      repository: args.repository,
      stacks: args.stack ?? [],
      includeUnsaved: args.all ?? false,
      percent: args.newest === true ? 0 : percentOf(args.subset),
      maxAgeMs,
      restoreTest: args["restore-test"] ?? false,
      acceptSuspect,
      signer: args.signer,
    };
    return async (session) => (await import("../runs/check.ts")).runCheck(request, session);
  },
});

function percentOf(text: string | undefined): number {
  if (text === undefined) return 100;
  const percent = /^\d+(?:\.\d+)?%$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (percent >= 0 && percent <= 100) return percent;
  throw new StackferryError("usage", "--subset needs a share, for instance 5%");
}
