import { defineCommand } from "../define-command.ts";

export const inspectCommand = defineCommand("inspect", {
  positionals: {
    archive: { type: "string", demandOption: true, describe: "Archive: a zip file, a folder, or s3://…" },
  },
  flags: {
    dashboard: { type: "string", requiresArg: true, describe: "Draw the dashboard of this name or id" },
    tree: { type: "boolean", describe: "Show what depends on what" },
    markdown: { type: "boolean", describe: "A summary in Markdown, for a pull request" },
  },
  examples: [
    ["inspect backup.zip", "where it came from, and every record in it"],
    ['inspect backup.zip --dashboard "Service overview"', "its grid of tiles, drawn"],
    ["inspect backup.zip --markdown > summary.md", "a summary to paste"],
  ],
  exitCodes: [0, 1, 2, 4, 130],
  prepare: (args) => async (session) => {
    const { runInspect } = await import("../runs/run-inspect.ts");
    const { archive, dashboard, tree, markdown } = args;
    return runInspect({ archive, dashboard, tree: tree ?? false, markdown: markdown ?? false }, session);
  },
});
