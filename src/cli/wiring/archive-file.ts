import type { KeyObject } from "node:crypto";
import { resolve } from "node:path";
import type { ArchiveReadOptions } from "../../archive/reader.ts";
import { openArchive } from "../../archive/reader.ts";
import { loadSignerKey } from "../../config/archive-secrets.ts";
import { StackferryError } from "../../core/errors.ts";
import type { ArchiveReader, Repository } from "../../core/ports.ts";
import { openArchiveAt, withPathInErrors } from "../../library/steps/archive-file.ts";
import { isS3Address } from "../../storage/open-repository.ts";
import type { Session } from "../program/session.ts";
import { archiveKeys } from "./archive-keys.ts";
import { localFiles } from "./backup.ts";
import { openRepositoryFor, splitRepository } from "./repository.ts";

/**
 * Opens an archive named on the command line; everything that is wrong with it names the file. A path that does not exist is
 * a wrong argument, not a damaged archive. What is encrypted is opened with the keys of the flags or the environment.
 */
export async function openArchiveFile(
  path: string,
  session: Session,
  options: OpenOptions = {},
): Promise<ArchiveReader> {
  if (isS3Address(path)) {
    const stored = await openStoredArchive(path, session, options);
    session.runState.archive = stored.summary;
    return withPathInErrors(stored, path);
  }
  const reader = await openArchiveAt(resolve(session.io.cwd, path), { keys: archiveKeys(session), ...options });
  session.runState.archive = reader.summary;
  return reader;
}

/** Who must have signed the archive. */
export type OpenOptions = Pick<ArchiveReadOptions, "signer">;

/** Opens an archive of an object store (`s3://bucket/prefix/a.zip`) from a private copy, which goes when it is disposed of. */
async function openStoredArchive(address: string, session: Session, options: OpenOptions): Promise<ArchiveReader> {
  const { repository: repositoryAddress, name } = splitRepository(address);
  await using repository = await openRepositoryFor(repositoryAddress, session);
  const fetched = await fetchArchive(repository, name, session);
  try {
    const reader = await openArchive(fetched.path, { keys: archiveKeys(session), ...options });
    return {
      ...reader,
      summary: { ...reader.summary, path: address },
      async [Symbol.asyncDispose]() {
        await reader[Symbol.asyncDispose]();
        await fetched[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await fetched[Symbol.asyncDispose]();
    throw withAddress(error, fetched.path, address);
  }
}

/** Nobody knows the copy; what is wrong is wrong with what was named. */
function withAddress(error: unknown, copy: string, address: string): unknown {
  if (!(error instanceof StackferryError) || !error.message.includes(copy)) return error;
  const { code, message, hint } = error;
  const about = message.replaceAll(copy, address);
  return new StackferryError(code, about, { cause: error, ...(hint !== undefined && { hint }) });
}

/** A copy on this machine, gone when it is disposed of. */
export interface FetchedArchive extends AsyncDisposable {
  readonly path: string;
}

/** Copies an archive of a repository to this machine, with the signature beside it if it has one. */
export async function fetchArchive(repository: Repository, name: string, { signal }: Session): Promise<FetchedArchive> {
  const scratch = await localFiles.scratch();
  try {
    const path = scratch.file(name.endsWith(".age") ? ".zip.age" : ".zip");
    await repository.fetch(name, path, signal);
    const beside = await repository.list(`${name}.sig`, signal);
    if (beside.some((file) => file.name === `${name}.sig`))
      await repository.fetch(`${name}.sig`, `${path}.sig`, signal);
    return { path, [Symbol.asyncDispose]: () => Promise.resolve(scratch[Symbol.asyncDispose]()) };
  } catch (error) {
    await scratch[Symbol.asyncDispose]();
    throw error;
  }
}

/** The key that `--signer` names; undefined where the flag is not given. */
export async function signerOf(file: string | undefined, { io }: Session): Promise<KeyObject | undefined> {
  return file === undefined ? undefined : loadSignerKey(resolve(io.cwd, file));
}
