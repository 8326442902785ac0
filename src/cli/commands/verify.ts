import { defineCommand } from "../define-command.ts";

export const verifyCommand = defineCommand("verify", {
  positionals: {
    archive: { type: "string", demandOption: true, describe: "Archive: a zip file, a folder, or s3://…" },
  },
  flags: {
    signer: {
      type: "string",
      requiresArg: true,
      describe: "Also prove that it was signed with the key whose public half (PEM) is in this file",
    },
  },
  examples: [
    ["verify backup.zip", "exit 0 when every byte is as it was written, else 4"],
    ["verify backup.zip --signer backups.pub", "and when backup.zip.sig was made with that key, else 4"],
  ],
  exitCodes: [0, 1, 2, 4, 130],
  prepare: (args) => async (session) => {
    const { runVerify } = await import("../runs/run-verify.ts");
    return runVerify({ archive: args.archive, signer: args.signer }, session);
  },
});
