import { defineCommand } from "../define-command.ts";
import { importFlags, importRequest } from "./import-flags.ts";

export const importCommand = defineCommand("import", {
  positionals: {
    archive: { type: "string", demandOption: true, describe: "Archive: a zip file, a folder, or s3://…" },
  },
  flags: {
    to: {
      type: "string",
      demandOption: true,
      requiresArg: true,
      describe: "STACK to write: a configured name or an address",
    },
    signer: {
      type: "string",
      requiresArg: true,
      describe: "Refuse the archive unless it was signed with the key whose public half (PEM) is in this file",
    },
    ...importFlags,
  },
  examples: [
    ["import backup.zip --to staging --dry-run", "what would be done"],
    ["import backup.zip --to staging --dry-run --write-map map.yaml", "draft a map of what cannot be matched"],
    ["import backup.zip --to staging --map map.yaml --yes", "do it, without asking"],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 10, 130],
  prepare: (args) => {
    const request = importRequest(args);
    return async (session) => {
      const { runImport } = await import("../runs/run-import.ts");
      return runImport({ ...request, archive: args.archive, to: args.to, signer: args.signer }, session);
    };
  },
});
