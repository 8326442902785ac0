import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { ArchiveWriterOptions } from "../../archive/writer.ts";
import { openArchive } from "../../archive/reader.ts";
import type { StackSettings } from "../../config/stack-settings.ts";
import { readInventory } from "../../jobs/inventory.ts";
import { kinds } from "../../kinds/registry.ts";
import type { ImportRequest } from "../commands/import-flags.ts";
import { archiveEncryption, archiveKeys, archivePath } from "../archive-keys.ts";
import { openClient, reported, resolveFor, secretsOf } from "../open-stack.ts";
import type { CommandResult } from "../report.ts";
import type { Session } from "../session.ts";
import { exportTo } from "./export-to.ts";
import { importArchive } from "./import-archive.ts";

/** `stackferry migrate`, normalised. */
export interface MigrateRequest extends ImportRequest {
  readonly from: string;
  readonly to: string;
  readonly keepArchive: string | undefined;
}

/** Exports one stack and imports it onto another, the archive in between kept or thrown away. */
export async function runMigrate(request: MigrateRequest, session: Session): Promise<CommandResult> {
  const from = await resolveFor(request.from, "from", session);
  const to = await resolveFor(request.to, "to", session);
  session.facts.from = reported(from);
  session.facts.to = reported(to);
  if (request.keepArchive !== undefined) {
    // There is no --recipient here: what was written for somebody else could not be read back for the import.
    const encryption = await archiveEncryption([], session);
    const path = archivePath(resolve(session.io.cwd, request.keepArchive), encryption);
    return migrateThrough({ path, ...(encryption && { encryption }) }, from, to, request, session);
  }
  const folder = await mkdtemp(join(tmpdir(), "stackferry-"));
  try {
    return await migrateThrough({ path: join(folder, "archive.zip") }, from, to, request, session);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function migrateThrough(
  place: Pick<ArchiveWriterOptions, "path" | "encryption">,
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
  const target = { ...place, format: "zip", kinds: readable, ...everything, secrets } as const;
  await using client = openClient(to, session);
  // The two stacks are read side by side. What goes wrong with the target is told when its turn comes.
  const { events, signal } = session;
  const inventory = readInventory(client, kinds, { events, signal });
  inventory.catch(() => {});
  const exported = await exportTo(target, source, from, session);
  if (request.keepArchive !== undefined) session.facts.archive = exported.archive;
  await using reader = await openArchive(place.path, { keys: archiveKeys(session) });
  // An archive that is thrown away leaves its journal behind: a migration that was cut short is gone on with from it.
  const journalBase = request.keepArchive ?? join(session.io.cwd, "stackferry-migrate");
  return await importArchive(reader, { settings: to, client, journalBase, inventory }, request, session);
}
