import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { openArchive } from "../archive/reader.ts";
import type { Clock, Place } from "../domain/ports.ts";
import type { BackupTools, LockOwner } from "../jobs/backup-tools.ts";
import { systemClock } from "../client/clock.ts";
import { archiveKeys } from "./archive-keys.ts";
import { localFiles } from "./local-files.ts";
import type { Session } from "./session.ts";

const owner: LockOwner = {
  host: hostname(),
  pid: process.pid,
  instance: randomBytes(8).toString("hex"),
  isAlive(pid) {
    try {
      return process.kill(pid, 0);
    } catch (error) {
      return error instanceof Error && "code" in error && error.code === "EPERM";
    }
  },
};

/** What backups in a place are kept and looked after with, in this process. */
export function backupTools(place: Place, session: Session): BackupTools {
  const clock: Clock = { now: () => session.io.now(), sleep: (ms, signal) => systemClock.sleep(ms, signal) };
  return {
    place,
    clock,
    files: localFiles,
    openArchive: (path) => openArchive(path, { keys: archiveKeys(session) }),
    owner,
    token: () => randomBytes(16).toString("hex"),
  };
}
