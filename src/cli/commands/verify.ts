import { defineCommand } from "../define-command.ts";

export const verifyCommand = defineCommand({
  name: "verify",
  arguments: "<archive>",
  describe: "Check every record of an archive against its checksum",
  positionals: { archive: { type: "string", demandOption: true, describe: "Archive: a zip file or a folder" } },
  flags: {},
  examples: [["verify backup.zip", "exit 0 when every byte is as it was written, else 4"]],
  exitCodes: [0, 1, 2, 4, 130],
  prepare: (args) => async (session) => {
    const { runVerify } = await import("../runs/run-verify.ts");
    return runVerify(args.archive, session);
  },
});
