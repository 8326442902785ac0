import { defineCommand } from "../define-command.ts";
import { selection, selectionFlags } from "./selection-flags.ts";

export const diffCommand = defineCommand("diff", {
  positionals: {
    left: { type: "string", demandOption: true, describe: "Before: an archive, or a STACK" },
    right: { type: "string", demandOption: true, describe: "After: an archive, or a STACK" },
  },
  flags: {
    "exit-code": { type: "boolean", describe: "Exit 10 when there is a difference" },
    ...selectionFlags,
    map: { type: "string", requiresArg: true, describe: "Map file: what is what on the right" },
    report: { type: "string", requiresArg: true, describe: "HTML page to write: before and after, drawn side by side" },
  },
  examples: [
    ["diff monday.zip tuesday.zip", "what was changed on Monday"],
    ["diff backup.zip production --exit-code", "exit 10 when production is no longer what was backed up"],
    ["diff production staging --kinds dashboards,alerts", "two stacks; their ids do not count"],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 10, 130],
  prepare: (args) => {
    const { left, right, map, report } = args;
    const request = { ...selection(args), left, right, mapFile: map, report, exitCode: args["exit-code"] ?? false };
    return async (session) => {
      const { runDiff } = await import("../runs/run-diff.ts");
      return runDiff(request, session);
    };
  },
});
