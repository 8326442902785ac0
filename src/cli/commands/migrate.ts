import { join, resolve } from "node:path";
import { openArchive } from "../../archive/reader.ts";
import type { ArchiveWriterOptions } from "../../archive/writer.ts";
import type { StackSettings } from "../../config/stack-settings.ts";
import { temporaryFolder } from "../../files/temporary-folder.ts";
import { kinds } from "../../kinds/registry.ts";
import { readInventory } from "../../matching/inventory.ts";
import { stackToRead, stackToWrite } from "../flags/arguments.ts";
import type { ImportRequest } from "../flags/import.ts";
import { importFlags, importRequest } from "../flags/import.ts";
import { importArchive } from "../import/import-archive.ts";
import type { CommandResult } from "../output/document.ts";
import { defineCommand } from "../program/define-command.ts";
import type { Session } from "../program/session.ts";
import { archiveEncryption, archiveKeys, archivePath } from "../wiring/archive-keys.ts";
import { exportTo } from "../wiring/export.ts";
import { openClient, reported, resolveFor, secretsOf } from "../wiring/stack.ts";

export const migrateCommand = defineCommand("migrate", {
  positionals: {},
  flags: {
    from: stackToRead,
    to: stackToWrite,
    "keep-archive": { type: "string", requiresArg: true, describe: "Keep the archive in between at this path" },
    ...importFlags,
  },
  examples: [
    ["migrate --from production --to staging --dry-run", "what would be done"],
    ["migrate --from production --to staging --keep-archive moved.zip", "do it, and keep what was moved"],
  ],
  exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 10, 130],
  prepare: (args) => {
    const request = importRequest(args);
    return (session) =>
      runMigrate({ ...request, from: args.from, to: args.to, keepArchive: args["keep-archive"] }, session);
  },
});

/** `stackferry migrate`, normalised. */
export interface MigrateRequest extends ImportRequest {
  readonly from: string;
  readonly to: string;
  readonly keepArchive: string | undefined;
}

/** Exports one stack and imports it onto another. The archive in between is kept with `--keep-archive` only. */
export async function runMigrate(request: MigrateRequest, session: Session): Promise<CommandResult> {
  const from = await resolveFor(request.from, "from", session);
  const to = await resolveFor(request.to, "to", session);
  session.runState.from = reported(from);
  session.runState.to = reported(to);
  if (request.keepArchive !== undefined) {
    // There is no --recipient: the import has to read the archive back.
    const encryption = await archiveEncryption([], session);
    const path = archivePath(resolve(session.io.cwd, request.keepArchive), encryption);
    return migrateThrough({ path, ...(encryption && { encryption }) }, from, to, request, session);
  }
  await using folder = await temporaryFolder();
  return await migrateThrough({ path: join(folder.path, "archive.zip") }, from, to, request, session);
}

async function migrateThrough(
  archive: Pick<ArchiveWriterOptions, "path" | "encryption">,
  from: StackSettings,
  to: StackSettings,
  request: MigrateRequest,
  session: Session,
): Promise<CommandResult> {
  await using source = openClient(from, session);
  // Everything is read, whatever is selected: what the selected records point to is needed to match it.
  const everything = { filter: { include: [], exclude: [] }, pipeIds: [], allowPartial: false };
  const readable = kinds.filter(({ listing }) => listing !== "by-id" || from.pipeIds.length > 0);
  const secrets = secretsOf(to.credential);
  const target = { ...archive, format: "zip", kinds: readable, ...everything, secrets } as const;
  await using client = openClient(to, session);
  // Both stacks are read at the same time. An error of the target is reported when its inventory is needed.
  const { events, signal } = session;
  const inventory = readInventory(client, kinds, { events, signal });
  inventory.catch(() => {});
  const exported = await exportTo(target, source, from, session);
  if (request.keepArchive !== undefined) session.runState.archive = exported.archive;
  await using reader = await openArchive(archive.path, { keys: archiveKeys(session) });
  // The journal stays where the archive is not kept, so that an interrupted migration can be continued.
  const journalBase = request.keepArchive ?? join(session.io.cwd, "stackferry-migrate");
  return await importArchive(reader, { settings: to, client, journalBase, inventory }, request, session);
}
