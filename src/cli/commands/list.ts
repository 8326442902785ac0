import { defineCommand } from "../define-command.ts";

export const listCommand = defineCommand("list", {
  positionals: {
    place: { type: "string", demandOption: true, describe: "PLACE: a folder, s3://…, a configured name" },
  },
  flags: { stack: { type: "string", array: true, requiresArg: true, describe: "Only of this stack, repeatable" } },
  examples: [["list /var/backups/stacks", "every backup by stack, the newest first"]],
  exitCodes: [0, 1, 2, 5, 6, 130],
  prepare: (args) => async (session) => {
    const { runList } = await import("../runs/run-list.ts");
    return runList({ place: args.place, stacks: args.stack ?? [] }, session);
  },
});
