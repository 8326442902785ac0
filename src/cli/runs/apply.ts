import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { openFiles } from "../../library/steps/open-files.ts";
import { isS3Address } from "../../storage/open-repository.ts";
import type { ImportRequest } from "../flags/import.ts";
import { importArchive } from "../import/import-archive.ts";
import type { CommandResult } from "../output/document.ts";
import type { Session } from "../program/session.ts";
import { backupReferenceOf } from "../wiring/backup-reference.ts";
import { openClient, reported, resolveFor } from "../wiring/stack.ts";
import { runImport } from "./import.ts";

/** Brings a stack to what files say. It is an import whose archive is made of the files. */
export async function runApply(
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
  const full = resolve(session.io.cwd, path);
  const isThere = (file: string): Promise<boolean> =>
    stat(file).then(
      () => true,
      () => false,
    );
  const stats = await stat(full).catch(() => undefined);
  if (stats === undefined) return false;
  return stats.isDirectory() ? isThere(join(full, "manifest.json")) : !/\.(?:ya?ml|json)$/i.test(path);
}
