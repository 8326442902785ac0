import type { ConflictPolicy } from "../../core/plan/plan.ts";
import { stackToWrite } from "../flags/arguments.ts";
import { importFlags, importRequest } from "../flags/import.ts";
import { defineCommand } from "../program/parse/define-command.ts";

export const applyCommand = defineCommand("apply", {
  positionals: {
    path: {
      type: "string",
      demandOption: true,
      describe: "Code files: a folder of YAML or JSON files, or one such file; or an archive",
    },
  },
  flags: {
    to: stackToWrite,
    ...importFlags,
    "on-conflict": {
      ...importFlags["on-conflict"],
      choices: ["skip", "update", "duplicate", "fail"] as const satisfies readonly ConflictPolicy[],
      default: "update" as const,
    },
    values: {
      type: "string",
      requiresArg: true,
      describe: "Values file: gives the value of ${value:NAME} in the files, in addition to `values` of the stack",
    },
    "on-edited": {
      choices: ["keep", "overwrite", "fail"] as const,
      default: "keep" as const,
      requiresArg: true,
      describe: "What to do with a record that was edited on the target, but not in its file",
    },
  },
  examples: [
    ["export --from production --format code --out ./stack", "first get the files"],
    ["apply ./stack --to production --dry-run", "show every changed field"],
    ["apply ./stack --to production", "show it, ask, and do it"],
    [
      "apply ./stack --to production --state stack.json",
      "keep a state file, so that a renamed record is updated, not created again",
    ],
    ["apply ./stack --to production --state stack.json --mirror", "also delete records whose file is gone"],
    ["apply ./stack --to production --dry-run --exit-code", "for CI: exit 10 when something would change"],
    ["apply ./stack --to production --dry-run --markdown", "a comment for a pull request"],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 10, 130],
  prepare: (args) => {
    const request = {
      ...importRequest(args),
      onEdited: args["on-edited"],
      path: args.path,
      to: args.to,
      valuesFile: args.values,
    };
    return async (session) => (await import("../runs/apply.ts")).runApply(request, session);
  },
});
