import type { Exporter } from "../../backup/backup.ts";
import { digestAddress, summariseContent } from "../../backup/suspect.ts";
import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import { StackferryError, rewordError } from "../../core/errors.ts";
import { refuseOtherThanArchive } from "../../archive/output-path.ts";
import type { Repository } from "../../core/ports.ts";
import type { ExportResult } from "../../export/export-stack.ts";
import {
  WHOLE_STACK_EXPORT,
  archivePath,
  exportToArchive,
  type ArchiveProtection,
} from "../../library/export-archive.ts";
import type { ExportFormat } from "../../library/steps/export-code.ts";
import type { Session } from "../program/session.ts";
import { localFiles } from "./backup.ts";
import { createRunRedactor } from "./config.ts";
import { openRepositoryFor } from "./repository.ts";
import { splitRepositoryPath } from "./named-input.ts";
import { openClient } from "./stack.ts";

/** The returned function fails if anything cannot be read, because a backup must be whole. */
export function createExporter(settings: StackSettings, protection: ArchiveProtection, session: Session): Exporter {
  return async ({ path, stack, createdAt }, { events }) => {
    // If several stacks are backed up, these events name their stack.
    const stackSession = { ...session, events };
    await using client = openClient(settings, stackSession);
    const redact = await createRunRedactor(session);
    const job = { ...WHOLE_STACK_EXPORT, ...protection, path, stack, client, settings, redact, now: createdAt };
    const { archive, recordsDigest, kinds, incomplete } = await exportToArchive(job, stackSession);
    const { contentDigest } = archive;
    const address = digestAddress(client.identity);
    return { contentDigest, recordsDigest, kinds: summariseContent(kinds), incomplete, address };
  };
}

/** An export to an object store. The archive is written to this machine first, then stored whole. */
export interface RepositoryExport extends ArchiveProtection {
  /** Address of the archive: `s3://bucket/prefix/name.zip`. */
  readonly out: string;
  readonly format: ExportFormat;
}

/** Exports to a temporary file, then stores the signature, then the archive. @throws StackferryError `usage` unless it is a zip */
export async function exportToRepository(
  { out, format, encryption, signer }: RepositoryExport,
  run: (path: string) => Promise<ExportResult>,
  session: Session,
): Promise<ExportResult> {
  if (format !== "zip") {
    throw new StackferryError("usage", `an archive in ${format} form cannot be written to an object store`, {
      hint: "write a zip there, or the folder to this machine",
    });
  }
  const { repository: repositoryAddress, name: objectName } = splitRepositoryPath(out);
  const name = archivePath(objectName, encryption);
  await using repository = await openRepositoryFor(repositoryAddress, session);
  await using scratch = await localFiles.createScratchFolder();
  const path = scratch.file(encryption === undefined ? ".zip" : ".zip.age");
  await refuseOtherObject(name, signer !== undefined, repository, session);
  const result = await run(path);
  if (signer !== undefined) await repository.put(`${path}.sig`, `${name}.sig`, session.signal);
  await repository.put(path, name, session.signal);
  return { ...result, archive: { ...result.archive, path: `${repository.address}/${name}` } };
}

/**
 * Refuses to replace an object that is not an archive, or not a signature of an archive, because a bucket can hold other files.
 * @throws StackferryError `usage`
 */
async function refuseOtherObject(
  name: string,
  isSigned: boolean,
  repository: Repository,
  { signal }: Session,
): Promise<void> {
  const listed = await repository.list(name, signal);
  await using scratch = await localFiles.createScratchFolder();
  const copy = scratch.file(name.endsWith(".age") ? ".zip.age" : ".zip");
  for (const ending of isSigned ? ["", ".sig"] : [""]) {
    const isThere = listed.some((file) => file.name === `${name}${ending}`);
    if (isThere) await repository.fetch(`${name}${ending}`, `${copy}${ending}`, signal);
  }
  await refuseOtherThanArchive(copy, isSigned).catch((error: unknown) => {
    if (!(error instanceof StackferryError) || error.code !== "usage") throw error;
    const message = error.message.replaceAll(copy, `${repository.address}/${name}`);
    throw rewordError(error, message, "name another object, or remove this one first");
  });
}
