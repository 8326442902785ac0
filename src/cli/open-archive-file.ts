import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { openArchive } from "../archive/reader.ts";
import { StackferryError } from "../domain/errors.ts";
import type { ArchiveReader } from "../domain/ports.ts";
import { isS3Address } from "../storage/open-place.ts";
import { archiveKeys } from "./archive-keys.ts";
import { openStoredArchive } from "./open-stored-archive.ts";
import type { OpenOptions } from "./open-stored-archive.ts";
import type { Session } from "./session.ts";

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
    session.facts.archive = stored.summary;
    return namingItself(stored, path);
  }
  const full = resolve(session.io.cwd, path);
  await refuseMissing(full);
  try {
    const reader = await openArchive(full, { keys: archiveKeys(session), ...options });
    session.facts.archive = reader.summary;
    return namingItself(reader, full);
  } catch (error) {
    throw named(error, full);
  }
}

async function refuseMissing(path: string): Promise<void> {
  try {
    await stat(path);
  } catch (cause) {
    if (!(cause instanceof Error) || !("code" in cause) || cause.code !== "ENOENT") return;
    throw new StackferryError("usage", `there is no archive at ${path}`, { cause, hint: "check the path" });
  }
}

function namingItself(reader: ArchiveReader, path: string): ArchiveReader {
  const rejection = (error: unknown): never => {
    throw named(error, path);
  };
  return {
    summary: reader.summary,
    manifest: reader.manifest,
    read: (entry) => reader.read(entry).catch(rejection),
    async *records() {
      try {
        yield* reader.records();
      } catch (error) {
        throw named(error, path);
      }
    },
    [Symbol.asyncDispose]: () => Promise.resolve(reader[Symbol.asyncDispose]()),
  };
}

function named(error: unknown, path: string): unknown {
  const about = error instanceof StackferryError && /^archive-(damaged|unknown)$/.test(error.code) ? error : undefined;
  if (about === undefined || about.message.includes(path)) return error;
  const { code, message, hint } = about;
  return new StackferryError(code, `${path}: ${message}`, { cause: error, ...(hint !== undefined && { hint }) });
}
