import { ofStack, repositoryArgument } from "../flags/arguments.ts";
import { defineCommand } from "../program/parse/define-command.ts";

export const listCommand = defineCommand("list", {
  positionals: {
    repository: repositoryArgument,
  },
  flags: {
    stack: ofStack,
    include: {
      type: "string",
      array: true,
      requiresArg: true,
      describe: "Show which backups have a record of this name or id (* and ?), repeatable",
    },
  },
  examples: [
    ["list /var/backups/stacks", "every backup by stack, the newest first, and which are damaged or suspect"],
    ['list /var/backups/stacks --include "Checkout"', "the first and the last backup that has a dashboard"],
  ],
  exitCodes: [0, 1, 2, 3, 5, 6, 130],
  prepare:
    ({ repository, stack: stacks = [], include = [] }) =>
    async (session) =>
      (await import("../runs/list.ts")).runList({ repository, stacks, include }, session),
});
