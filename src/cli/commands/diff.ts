import { selection, selectionFlags } from "../flags/selection.ts";
import { defineCommand } from "../program/parse/define-command.ts";

export const diffCommand = defineCommand("diff", {
  positionals: {
    left: {
      type: "string",
      demandOption: true,
      completes: "stacks",
      describe: "Before: an archive, code files, a backup (REPO/STACK[@TIME]), or STACK",
    },
    right: {
      type: "string",
      demandOption: true,
      completes: "stacks",
      describe: "After: an archive, code files, a backup or STACK",
    },
  },
  flags: {
    "exit-code": { type: "boolean", describe: "Exit 10 when there is a difference" },
    ...selectionFlags,
    map: { type: "string", requiresArg: true, describe: "Map file: which record on the left is which on the right" },
    "name-prefix": {
      advanced: true,
      type: "string",
      requiresArg: true,
      describe: "Compare only records with this prefix on the right (--name-prefix of the import)",
    },
    tag: {
      advanced: true,
      type: "string",
      array: true,
      requiresArg: true,
      describe: "Expect this tag on the right (--tag of the import), repeatable",
    },
    values: {
      advanced: true,
      type: "string",
      requiresArg: true,
      describe: "Values file: gives the value of ${value:NAME} in the files, in addition to `values` of the stack",
    },
    markdown: { type: "boolean", describe: "Print the comparison in Markdown, for a pull request" },
    report: { type: "string", requiresArg: true, describe: "Write an HTML page: before and after, drawn side by side" },
  },
  examples: [
    ["diff monday.zip tuesday.zip", "what was changed on Monday"],
    ["diff backup.zip production --exit-code", "exit 10 when production differs from its backup"],
    ["diff ./stack production --exit-code", "exit 10 when production differs from its files"],
    ["diff offsite/production@2026-11-20 production", "what was changed since that day's backup"],
    ['diff backup.zip staging --kinds dashboards --name-prefix "[staging] "', "what was changed in a seeded stack"],
    ["diff production staging --kinds dashboards,alerts", "two stacks; differences in ids are ignored"],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 10, 130],
  prepare: (args) => {
    const { left, right, map, report, tag = [], markdown = false, "name-prefix": namePrefix } = args;
    const naming = { namePrefix, tags: tag };
    const request = {
      left,
      right,
      valuesFile: args.values,
      mapFile: map,
      report,
      naming,
      markdown,
      exitCode: args["exit-code"] ?? false,
    };
    return async (session) => (await import("../runs/diff.ts")).runDiff({ ...selection(args), ...request }, session);
  },
});
