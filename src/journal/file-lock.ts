import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import process from "node:process";
import { z } from "zod";
import { StackferryError } from "../core/errors.ts";
import { parseJsonAs } from "../core/json.ts";
import { writeNewFile } from "../files/atomic-write.ts";
import { systemErrorCode, systemMessage } from "../files/errors.ts";
import { processIdentity } from "../files/process-identity.ts";
import { readRegularFile } from "../files/regular-file.ts";

/** The noun for the locked file in messages, and the flag with which the user names another file. */
type LockedFile = "journal" | "state";

/** Tells this process from earlier ones with the same pid: in a container that was restarted, the pid is always the same. */
const INSTANCE = randomBytes(8).toString("hex");

/**
 * Takes the lock of a journal or a state file: without the lock, two parallel runs of one import would create the same records
 * twice. Takes over the lock of a dead process of this machine (killed, crashed). Throws `locked` if any other process holds the
 * lock. backup/stack-lock.ts has the lock of the backups in a repository.
 */
export async function takeLock(path: string, locked: LockedFile): Promise<AsyncDisposable> {
  if (await makeLock(path, locked)) return lockAt(path);
  const holder = await holderOf(path);
  if (!isGone(holder)) throw lockedError(path, holder, locked);
  // If two processes find the same dead lock, only one may remove it: the second process would remove the new lock of the first. So
  // a process takes another lock before it removes a dead lock. If that other lock is dead as well, the recursive call handles it.
  await using _takeover = await takeLock(`${path}.${holder.pid}`, locked);
  const now = await holderOf(path);
  if (now !== undefined && !isGone(now)) throw lockedError(path, now, locked);
  if (now !== undefined) await rm(path, { force: true });
  if (!(await makeLock(path, locked))) throw lockedError(path, await holderOf(path), locked);
  return lockAt(path);
}

function lockAt(path: string): AsyncDisposable {
  return { [Symbol.asyncDispose]: () => rm(path, { force: true }) };
}

/** Creates the lock file for this process; returns false if the file already exists. */
async function makeLock(path: string, locked: LockedFile): Promise<boolean> {
  try {
    await writeNewFile(path, JSON.stringify({ ...processIdentity(), instance: INSTANCE }));
    return true;
  } catch (error) {
    if (systemErrorCode(error) === "EEXIST") return false;
    throw unusableLockError(path, error, locked);
  }
}

/** Tells whether the holder was a process of this machine that has ended. A process of another container cannot be seen. */
function isGone(holder: Holder | undefined): holder is Holder {
  if (holder === undefined) return false;
  const { host, pid, pidNamespace } = processIdentity();
  const isVisible = holder.host === host && (holder.pidNamespace ?? pidNamespace) === pidNamespace;
  const isRunning = holder.pid === pid ? (holder.instance ?? INSTANCE) === INSTANCE : isProcessAlive(holder.pid);
  return isVisible && !isRunning;
}

const holderSchema = z.object({
  host: z.string(),
  pid: z.number(),
  pidNamespace: z.string().exactOptional(),
  instance: z.string().exactOptional(),
});
type Holder = z.output<typeof holderSchema>;

async function holderOf(path: string): Promise<Holder | undefined> {
  const text = await readRegularFile(path).catch(() => "");
  return parseJsonAs(holderSchema, text);
}

function lockedError(path: string, holder: Holder | undefined, locked: LockedFile): StackferryError {
  const who = holder ? `process ${holder.pid} on ${holder.host}` : "another run";
  const hint = `Wait for it to end. If you are sure that it has ended, delete ${path}.`;
  return new StackferryError("locked", `${who} is working with this ${locked}`, { hint });
}

function unusableLockError(path: string, cause: unknown, locked: LockedFile): StackferryError {
  const hint = `Its folder must be writable. An import can use another ${locked}: --${locked} names it.`;
  return new StackferryError("journal", `the lock ${path} cannot be created: ${systemMessage(cause)}`, { cause, hint });
}

/** Tells whether a process of this machine is running. */
export function isProcessAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemErrorCode(error) === "EPERM";
  }
}
