import { ofStack, repositoryArgument } from "../flags/arguments.ts";
import { defineCommand } from "../program/parse/define-command.ts";

export const listCommand = defineCommand("list", {
  positionals: {
    repository: repositoryArgument,
  },
  flags: { stack: ofStack },
  examples: [["list /var/backups/stacks", "every backup by stack, the newest first, and which are damaged or suspect"]],
  exitCodes: [0, 1, 2, 5, 6, 130],
  prepare:
    ({ repository, stack: stacks = [] }) =>
    async (session) =>
      (await import("../runs/list.ts")).runList({ repository, stacks }, session),
});
