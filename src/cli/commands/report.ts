import { defineCommand } from "../define-command.ts";

export const reportCommand = defineCommand("report", {
  positionals: {
    file: { type: "string", demandOption: true, describe: "Archive (a zip file or a folder), or journal of an import" },
  },
  flags: {
    out: { type: "string", requiresArg: true, demandOption: true, describe: "HTML file to write" },
  },
  examples: [
    ["report backup.zip --out backup.html", "every dashboard drawn, every alert in words"],
    ["report backup.zip.1a2b3c4d.journal --out import.html", "what an import wrote, and when"],
  ],
  exitCodes: [0, 1, 2, 4, 130],
  prepare: (args) => async (session) => {
    const { runReport } = await import("../runs/run-report.ts");
    return runReport(args.file, args.out, session);
  },
});
