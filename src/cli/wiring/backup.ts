import type { KeyObject } from "node:crypto";
import { randomBytes } from "node:crypto";
import { open } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { openArchive } from "../../archive/reader.ts";
import type { BackupDependencies, LocalFiles, LockOwner, Scratch } from "../../backup/dependencies.ts";
import { MIN_SHARE } from "../../backup/history/shrinking.ts";
import { systemClock } from "../../client/clock.ts";
import { loadConfig } from "../../config/load-config.ts";
import type { Clock, Repository } from "../../core/ports.ts";
import { fileDigest } from "../../files/file-digest.ts";
import { isAlive } from "../../files/is-alive.ts";
import { temporaryFolder } from "../../files/temporary-folder.ts";
import type { Session } from "../program/session.ts";
import { archiveKeys } from "./archive-keys.ts";
import { knownBackups } from "./known-backups.ts";
import { placeOf } from "./repository.ts";

const owner: LockOwner = {
  host: hostname(),
  pid: process.pid,
  instance: randomBytes(8).toString("hex"),
  isAlive,
};

/**
 * What backups in a repository are kept and looked after with, in this process.
 * @param signer who must have signed the archives that are opened
 */
export async function backupDependencies(
  repository: Repository,
  session: Session,
  signer?: KeyObject,
): Promise<BackupDependencies> {
  const { io, globals } = session;
  const { backup } = await loadConfig({ file: globals.configFile, cwd: io.cwd });
  const clock: Clock = { now: () => session.io.now(), sleep: (ms, signal) => systemClock.sleep(ms, signal) };
  return {
    repository,
    clock,
    files: localFiles,
    openArchive: (path) => openArchive(path, { keys: archiveKeys(session), ...(signer !== undefined && { signer }) }),
    checksSignature: signer !== undefined,
    minShare: backup?.minShare ?? MIN_SHARE,
    known: knownBackups(placeOf(repository), session),
    owner,
    token: () => randomBytes(16).toString("hex"),
  };
}

/** Files in this machine's folder for temporary ones, which only their owner can read. */
export const localFiles: LocalFiles = {
  scratch,
  digest: fileDigest,
  async head(path, bytes) {
    await using handle = await open(path, "r");
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead).toString("latin1");
  },
};

async function scratch(): Promise<Scratch> {
  const folder = await temporaryFolder();
  let files = 0;
  return {
    file: (ending) => {
      files += 1;
      return join(folder.path, `${files}${ending}`);
    },
    [Symbol.asyncDispose]: async () => folder[Symbol.asyncDispose](),
  };
}
