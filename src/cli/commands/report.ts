import { defineCommand } from "../program/parse/define-command.ts";

export const reportCommand = defineCommand("report", {
  positionals: {
    file: {
      type: "string",
      demandOption: true,
      describe: "Archive (or a backup, REPO/STACK[@TIME]), or journal of an import",
    },
  },
  flags: {
    out: { type: "string", requiresArg: true, demandOption: true, describe: "HTML file to write" },
  },
  examples: [
    ["report backup.zip --out backup.html", "every dashboard drawn, every alert in words"],
    ["report backup.zip.1a2b3c4d.journal --out import.html", "what an import wrote, and when"],
  ],
  exitCodes: [0, 1, 2, 4, 130],
  prepare: (args) => async (session) => (await import("../runs/report.ts")).runReport(args.file, args.out, session),
});
