import { defineCommand } from "../define-command.ts";

export const inspectCommand = defineCommand({
  name: "inspect",
  arguments: "<archive>",
  describe: "Show what an archive holds",
  positionals: { archive: { type: "string", demandOption: true, describe: "Archive: a zip file or a folder" } },
  flags: {},
  examples: [["inspect backup.zip", "where it came from, and every record in it"]],
  exitCodes: [0, 1, 2, 4, 130],
  prepare: (args) => async (session) => {
    const { runInspect } = await import("../runs/run-inspect.ts");
    return runInspect(args.archive, session);
  },
});
