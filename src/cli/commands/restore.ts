import { join } from "node:path";
import { openArchive } from "../../archive/reader.ts";
import type { ArchiveChoice } from "../../backup/choose.ts";
import { chooseStored } from "../../backup/choose.ts";
import { parseBackupTime } from "../../config/time.ts";
import { StackferryError } from "../../core/errors.ts";
import { stackToWrite } from "../flags/arguments.ts";
import type { ImportRequest } from "../flags/import.ts";
import { importFlags, importRequest } from "../flags/import.ts";
import { importArchive } from "../import/import-archive.ts";
import type { CommandResult } from "../output/document.ts";
import { defineCommand } from "../program/define-command.ts";
import type { Session } from "../program/session.ts";
import { fetchArchive, signerOf } from "../wiring/archive-file.ts";
import { archiveKeys } from "../wiring/archive-keys.ts";
import { backupDependencies } from "../wiring/backup.ts";
import { openRepositoryFor, splitRepository } from "../wiring/repository.ts";
import { openClient, reported, resolveFor } from "../wiring/stack.ts";

export const restoreCommand = defineCommand("restore", {
  positionals: {
    backup: {
      type: "string",
      demandOption: true,
      completes: "backups",
      describe: "REPO/STACK, REPO/STACK@latest or REPO/STACK@TIME (UTC)",
    },
  },
  flags: {
    to: stackToWrite,
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
    return (session) => runRestore(request, session);
  },
});

function wanted(text: string): {
  readonly repository: string;
  readonly stack: string;
  readonly version: ArchiveChoice;
} {
  const at = text.lastIndexOf("@");
  const path = at < 0 ? text : text.slice(0, at);
  const time = at < 0 ? "latest" : text.slice(at + 1);
  const { repository, name } = splitRepository(path);
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name) || path.endsWith("/") || !path.includes("/")) {
    throw new StackferryError("usage", "a backup is named REPO/STACK or REPO/STACK@TIME", {
      hint: "`stackferry list REPO` shows what there is",
    });
  }
  if (time === "latest") return { repository, stack: name, version: "latest" };
  const notAfter = parseBackupTime(time);
  if (notAfter !== undefined) return { repository, stack: name, version: { notAfter } };
  throw new StackferryError("usage", "the time of a backup is written 2026-11-20, 2026-11-20T04:15 or latest (UTC)");
}

/** `stackferry restore`, normalised. */
export interface RestoreRequest extends ImportRequest {
  readonly repository: string;
  readonly stack: string;
  readonly version: ArchiveChoice;
  readonly to: string;
  /** File of an Ed25519 public key. */
  readonly signer: string | undefined;
}

/** Fetches a backup and imports it. */
export async function runRestore(request: RestoreRequest, session: Session): Promise<CommandResult> {
  const { events, signal, io } = session;
  const settings = await resolveFor(request.to, "to", session);
  session.runState.to = reported(settings);
  const signer = await signerOf(request.signer, session);
  await using repository = await openRepositoryFor(request.repository, session);
  const dependencies = backupDependencies(repository, session);
  const chosen = await chooseStored(request.stack, request.version, dependencies, { events, signal });
  events({ type: "phase", phase: `fetching ${chosen.name}` });
  await using fetched = await fetchArchive(repository, chosen.name, session);
  await using reader = await openArchive(fetched.path, {
    keys: archiveKeys(session),
    ...(signer !== undefined && { signer }),
  });
  const label = `${repository.address}/${chosen.name}`;
  session.runState.archive = { ...reader.summary, path: label };
  session.runState.from = { label, ...reader.manifest.source };
  await using client = openClient(settings, session);
  // The copy is removed. Its journal stays here, so that an interrupted restore can be continued.
  const journalBase = join(io.cwd, `stackferry-restore-${chosen.name.replace("/", "-")}`);
  return await importArchive(reader, { settings, client, journalBase }, request, session);
}
