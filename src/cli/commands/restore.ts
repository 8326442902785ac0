import { parseBackupTime } from "../../config/backup-time.ts";
import { StackferryError } from "../../domain/errors.ts";
import type { ArchiveChoice } from "../../jobs/choose-stored.ts";
import { defineCommand } from "../define-command.ts";
import { splitPlace } from "../split-place.ts";
import { importFlags, importRequest } from "./import-flags.ts";

export const restoreCommand = defineCommand("restore", {
  positionals: {
    backup: {
      type: "string",
      demandOption: true,
      describe: "PLACE/STACK, PLACE/STACK@latest or PLACE/STACK@TIME (UTC)",
    },
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
      describe: "Refuse the backup unless it was signed with the key whose public half (PEM) is in this file",
    },
    ...importFlags,
  },
  examples: [
    [
      "restore /var/backups/stacks/production --to production --dry-run",
      "what the newest good backup would bring back",
    ],
    ["restore s3://backups/stacks/production@2026-11-20 --to staging", "as it was at the end of that day"],
    ["restore offsite/production@20261120T041500Z --to production --yes", "that one, or the last one before"],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 10, 130],
  prepare: (args) => {
    const request = { ...importRequest(args), ...wanted(args.backup), to: args.to, signer: args.signer };
    return async (session) => {
      const { runRestore } = await import("../runs/run-restore.ts");
      return runRestore(request, session);
    };
  },
});

function wanted(text: string): { readonly place: string; readonly stack: string; readonly choice: ArchiveChoice } {
  const at = text.lastIndexOf("@");
  const path = at < 0 ? text : text.slice(0, at);
  const time = at < 0 ? "latest" : text.slice(at + 1);
  const { place, name } = splitPlace(path);
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name) || path.endsWith("/") || !path.includes("/")) {
    throw new StackferryError("usage", "a backup is named PLACE/STACK or PLACE/STACK@TIME", {
      hint: "`stackferry list PLACE` shows what there is",
    });
  }
  if (time === "latest") return { place, stack: name, choice: "latest" };
  const notAfter = parseBackupTime(time);
  if (notAfter !== undefined) return { place, stack: name, choice: { notAfter } };
  throw new StackferryError("usage", "the time of a backup is written 2026-11-20, 2026-11-20T04:15 or latest (UTC)");
}
