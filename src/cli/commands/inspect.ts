import { archiveArgument } from "../flags/arguments.ts";
import { defineCommand } from "../program/parse/define-command.ts";

export const inspectCommand = defineCommand("inspect", {
  positionals: {
    archive: archiveArgument,
  },
  flags: {
    dashboard: { type: "string", requiresArg: true, describe: "Draw the dashboard of this name or id" },
    tree: { type: "boolean", describe: "Show the dependencies of each record" },
    markdown: { type: "boolean", describe: "Print a summary in Markdown, for a pull request" },
  },
  examples: [
    ["inspect backup.zip", "where it came from, and every record in it"],
    ['inspect backup.zip --dashboard "Service overview"', "its grid of tiles, drawn"],
    ["inspect backup.zip --markdown > summary.md", "a summary to paste"],
  ],
  exitCodes: [0, 1, 2, 4, 130],
  prepare: (args) => {
    const { archive, dashboard, tree = false, markdown = false } = args;
    return async (session) =>
      (await import("../runs/inspect.ts")).runInspect({ archive, dashboard, tree, markdown }, session);
  },
});
