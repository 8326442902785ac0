import type { KeyObject } from "node:crypto";
import { join, resolve } from "node:path";
import { suspectReasonsOf } from "../../backup/history.ts";
import { selectBackup } from "../../backup/select-backup.ts";
import { loadSignerKey } from "../../config/secrets/archive-secrets.ts";
import type { ArchiveReader } from "../../core/ports.ts";
import { createTemporaryFolder } from "../../files/temporary-folder.ts";
import { openArchiveAs, openArchiveAt } from "../../library/steps/archive-file.ts";
import { isS3Address } from "../../storage/open-repository.ts";
import type { Session } from "../program/session.ts";
import { createKeySource } from "./keys.ts";
import { createBackupContext, openRepositoryFor, type OpenedRepository } from "./repository.ts";
import {
  findNamedInput,
  refuseOtherThanArchive,
  splitRepositoryPath,
  type BackupReference,
  type NamedInput,
} from "./argument.ts";

export interface OpenedArchive extends ArchiveReader {
  /** The name in its repository, if the user named a backup (REPO/STACK). */
  readonly storedName?: string;
  readonly isSuspect?: boolean;
  readonly notes?: readonly string[];
}

/** A path that does not exist is a usage error, not a damaged archive. */
export async function openArchiveFile(
  path: string,
  session: Session,
  signer?: KeyObject,
  named?: NamedInput,
): Promise<OpenedArchive> {
  const opened = await openNamed(path, named ?? (await findNamedInput(path, session)), session, signer);
  session.runState.archive = opened.summary;
  return opened;
}

async function openNamed(
  path: string,
  input: NamedInput,
  session: Session,
  signer: KeyObject | undefined,
): Promise<OpenedArchive> {
  if (input.is === "backup") return openBackup(input.reference, session, signer);
  if (!isS3Address(path)) {
    await refuseOtherThanArchive(path, input.is, session);
    return openArchiveAt(resolve(session.io.cwd, path), { keys: createKeySource(session), signer });
  }
  const { repository: repositoryAddress, name } = splitRepositoryPath(path);
  await using repository = await openRepositoryFor(repositoryAddress, session);
  return await openStored(repository, name, path, session, signer);
}

async function openBackup(
  { repository: reference, stack, version }: BackupReference,
  session: Session,
  signer: KeyObject | undefined,
): Promise<OpenedArchive> {
  await using repository = await openRepositoryFor(reference, session);
  const demanded = signer ?? (await loadSignerOfFlag(repository.keyFiles.signer, session));
  const chosen = await selectBackup(stack, version, await createBackupContext(repository, session, demanded));
  session.events({ type: "phase", phase: `fetching ${chosen.name}` });
  const reader = await openStored(repository, chosen.name, `${repository.address}/${chosen.name}`, session, demanded);
  const notes = suspectReasonsOf(chosen).map(({ message }) => `This backup is suspect: ${message}.`);
  return { ...reader, storedName: chosen.name, isSuspect: notes.length > 0, notes };
}

/** The file of the copy is removed at once; an open archive stays readable without its file. */
export async function openStored(
  repository: OpenedRepository,
  name: string,
  address: string,
  session: Session,
  signer: KeyObject | undefined,
): Promise<ArchiveReader> {
  const { signal } = session;
  await using folder = await createTemporaryFolder();
  const path = join(folder.path, name.endsWith(".age") ? "archive.zip.age" : "archive.zip");
  await repository.fetch(name, path, signal);
  const beside = await repository.list(`${name}.sig`, signal);
  if (beside.some((file) => file.name === `${name}.sig`)) await repository.fetch(`${name}.sig`, `${path}.sig`, signal);
  return await openArchiveAs(path, address, { keys: createKeySource(session, repository.keyFiles), signer });
}

export async function loadSignerOfFlag(file: string | undefined, { io }: Session): Promise<KeyObject | undefined> {
  return file === undefined ? undefined : loadSignerKey(resolve(io.cwd, file));
}
