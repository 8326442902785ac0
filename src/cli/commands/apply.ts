import { resolve } from "node:path";
import { openFiles, whatIsAt } from "../../library/steps/open-files.ts";
import { isS3Address } from "../../storage/open-repository.ts";
import { stackToWrite } from "../flags/arguments.ts";
import type { ImportRequest } from "../flags/import.ts";
import { importFlags, importRequest } from "../flags/import.ts";
import { importArchive } from "../import/import-archive.ts";
import type { CommandResult } from "../output/document.ts";
import { defineCommand } from "../program/parse/define-command.ts";
import type { Session } from "../program/session.ts";
import { backupReferenceOf } from "../wiring/backup-reference.ts";
import { openClient, reported, resolveFor } from "../wiring/stack.ts";
import { runImport } from "./import.ts";

export const applyCommand = defineCommand("apply", {
  positionals: {
    path: {
      type: "string",
      demandOption: true,
      describe: "Files that people write: a folder of YAML or JSON files, or one of them; or an archive",
    },
  },
  flags: {
    to: stackToWrite,
    ...importFlags,
    "on-conflict": { ...importFlags["on-conflict"], default: "update" as const },
  },
  examples: [
    ["export --from production --format code --out ./stack", "first get the files"],
    ["apply ./stack --to production --dry-run", "show each change by member"],
    ["apply ./stack --to production", "show it, ask, and do it"],
    ["apply ./stack --to production --state stack.json", "remember each file's record: a new name is an update"],
    ["apply ./stack --to production --state stack.json --mirror", "and delete what has no file any more"],
    ["apply ./stack --to production --dry-run --exit-code", "for CI: exit 10 when something would change"],
    ["apply ./stack --to production --dry-run --markdown", "a comment for a pull request"],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 10, 130],
  prepare: (args) => {
    const request = { ...importRequest(args), path: args.path, to: args.to };
    return (session) => runApply(request, session);
  },
});

/** Brings a stack to what files say. It is an import whose archive is made of the files. */
async function runApply(
  request: ImportRequest & { readonly path: string; readonly to: string },
  session: Session,
): Promise<CommandResult> {
  if (await isArchive(request.path, session)) {
    return runImport({ ...request, archive: request.path, signer: undefined }, session);
  }
  const settings = await resolveFor(request.to, "to", session);
  session.runState.to = reported(settings);
  await using client = openClient(settings, session);
  const root = resolve(session.io.cwd, request.path);
  const { transforms } = settings;
  const { reader, files, early } = await openFiles(request.path, root, { client, transforms }, session);
  session.runState.archive = reader.summary;
  for (const warning of reader.manifest.warnings) session.events({ type: "warning", warning });
  const target = { settings, client, journalBase: root, inventory: early, files };
  return await importArchive(reader, target, request, session);
}

/** Anything but a YAML or JSON file, or a folder of them. */
async function isArchive(path: string, session: Session): Promise<boolean> {
  if (isS3Address(path) || (await backupReferenceOf(path, session)) !== undefined) return true;
  return (await whatIsAt(resolve(session.io.cwd, path))) === "archive";
}
