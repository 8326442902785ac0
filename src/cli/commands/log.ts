import { selection, selectionFlags } from "../flags/selection.ts";
import { defineCommand } from "../program/parse/define-command.ts";

export const logCommand = defineCommand("log", {
  positionals: {
    backups: {
      type: "string",
      demandOption: true,
      completes: "backups",
      describe: "REPO/STACK, or REPO/STACK@TIME for its history up to that time (UTC)",
    },
  },
  flags: {
    ...selectionFlags,
    since: {
      type: "string",
      requiresArg: true,
      describe: "Only backups since this time (UTC): 2026-11-20, yesterday, or 7d for seven days ago",
    },
    patch: { type: "boolean", describe: "Show the values before and after; with --verbose, do not shorten long ones" },
  },
  examples: [
    ["log /var/backups/stacks/production", "what changed between the backups, the newest first"],
    [
      'log offsite/production --include "Checkout" --patch',
      "the changes of one dashboard, under all names that it has had",
    ],
    ["log offsite/production --kinds alerts --since 7d", "alerts that were added, removed or changed in seven days"],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 130],
  prepare: (args) => {
    const request = { ...selection(args), backups: args.backups, since: args.since, patch: args.patch ?? false };
    return async (session) => (await import("../runs/log.ts")).runLog(request, session);
  },
});
