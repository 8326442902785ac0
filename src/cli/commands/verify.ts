import { archiveArgument, signer } from "../flags/arguments.ts";
import { defineCommand } from "../program/parse/define-command.ts";

export const verifyCommand = defineCommand("verify", {
  positionals: {
    archive: archiveArgument,
  },
  flags: {
    signer: { ...signer, describe: "Also verify its signature with this public key (PEM file)" },
  },
  examples: [
    ["verify backup.zip", "exit 0 when every byte is as it was written, else 4"],
    [
      "verify backup.zip --signer backups.pub",
      "also check the signature backup.zip.sig with that key; exit 4 if it does not match",
    ],
  ],
  exitCodes: [0, 1, 2, 4, 130],
  prepare:
    ({ archive, signer }) =>
    async (session) =>
      (await import("../runs/verify.ts")).runVerify({ archive, signer }, session),
});
