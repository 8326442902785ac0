import { defineCommand } from "../program/parse/define-command.ts";

export const reportCommand = defineCommand("report", {
  positionals: {
    file: {
      type: "string",
      demandOption: true,
      describe:
        "Archive, backup (REPO/STACK@TIME, REPO/STACK@latest), journal of an import, or REPO/STACK for its history",
    },
  },
  flags: {
    out: { type: "string", requiresArg: true, demandOption: true, describe: "HTML file to write" },
  },
  examples: [
    ["report backup.zip --out backup.html", "every dashboard drawn, every alert in words"],
    ["report /var/backups/stacks/production --out history.html", "what changed from backup to backup"],
    ["report backup.zip.1a2b3c4d.journal --out import.html", "what an import wrote, and when"],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 130],
  prepare: (args) => async (session) => (await import("../runs/report.ts")).runReport(args.file, args.out, session),
});
