import { defineCommand } from "../define-command.ts";
import { selection, selectionFlags } from "./selection-flags.ts";

export const exportCommand = defineCommand("export", {
  positionals: {},
  flags: {
    from: {
      type: "string",
      demandOption: true,
      requiresArg: true,
      describe: "STACK to read: a configured name or an address",
    },
    out: {
      type: "string",
      requiresArg: true,
      describe: "Where to write, or s3://bucket/name.zip (default: stackferry-NAME-TIME.zip here)",
    },
    format: {
      choices: ["zip", "folder"] as const,
      describe: "One zip file (default), or a folder for git",
    },
    ...selectionFlags,
    pipe: {
      type: "string",
      array: true,
      requiresArg: true,
      describe: "Id of a pipe to read (they have no list), repeatable",
    },
    recipient: {
      type: "string",
      array: true,
      requiresArg: true,
      describe: "Encrypt for this age public key (age1…), repeatable; writes NAME.zip.age",
    },
    sign: { type: "string", requiresArg: true, describe: "Sign with the Ed25519 private key (PEM) in this file" },
    redact: {
      choices: ["standard", "strict"] as const,
      requiresArg: true,
      describe: "Take out secrets (standard), or certificates, ARNs and random text too (strict)",
    },
    "allow-partial": { type: "boolean", describe: "Write an archive even where something could not be read" },
  },
  examples: [
    ["export --from production", "everything, into an archive in this folder"],
    ["export --from http://localhost:8000 --out backup.zip", "the key comes from STACKFERRY_API_KEY"],
    ["export --from production --recipient age1…", "encrypted for the holder of that age key"],
    ["export --from production --format folder --out ./stack", "one file a record, to keep in git"],
  ],
  exitCodes: [0, 1, 2, 3, 5, 6, 130],
  prepare: (args) => async (session) => {
    const { runExport } = await import("../runs/run-export.ts");
    const input = {
      ...selection(args),
      from: args.from,
      out: args.out,
      format: args.format ?? "zip",
      pipeIds: args.pipe ?? [],
      allowPartial: args["allow-partial"] ?? false,
      redaction: args.redact ?? "standard",
      recipients: args.recipient ?? [],
      signingKey: args.sign,
    };
    return runExport(input, session);
  },
});
