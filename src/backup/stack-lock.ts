import { z } from "zod";
import { StackferryError, rewordError } from "../core/errors.ts";
import type { RunContext } from "../core/events.ts";
import { parseJsonAs } from "../core/json.ts";
import type { Repository, StoredTextFile, SwapResult } from "../core/ports.ts";
import type { BackupDependencies, LockOwner } from "./dependencies.ts";
import { CLOCK_TOLERANCE_MS, lockFileName } from "./archive-names.ts";

/** Interval at which a held lock is renewed. */
export const LOCK_RENEWAL_MS = 60_000;

/** A lock that nobody renewed for this time is abandoned: its process is dead, or its machine sleeps. */
export const LOCK_ABANDONED_MS = 15 * 60_000;

/** Time to wait until another run's simultaneous write becomes visible, in a repository without conditional writes. */
const SETTLE_MS = 2000;

/**
 * Time for which a run watches a lock whose age tells nothing, because a clock has jumped or this machine slept. A living holder
 * renews the lock in this time.
 */
const WATCH_MS = 1.5 * LOCK_RENEWAL_MS;

/** If the holder runs in another container on this machine, it counts as dead after missing this many renewals. */
const MISSED_RENEWALS = 3;

const holderSchema = z.looseObject({
  token: z.string(),
  host: z.string(),
  pid: z.number(),
  instance: z.string(),
  /** Absent in locks of earlier releases, and where the system has no such namespaces. */
  pidNamespace: z.string().exactOptional(),
  takenAt: z.string(),
  renewedAt: z.string(),
});
type Holder = z.output<typeof holderSchema>;

/** The lock of a stack's backups. Dispose of it to release it. */
export interface StackLock extends AsyncDisposable {
  /**
   * Throws if this run may no longer hold the lock. Call it before each write. Renews the lock first if the last renewal is long
   * ago by the clock: this machine may have slept, or its clock may have jumped.
   * @throws StackferryError `locked` if another run took the lock over, or this run has not renewed it for `LOCK_ABANDONED_MS`
   */
  assertHeld(): Promise<void>;
}

/**
 * Takes the lock of a stack's backups in a repository. Another run's lock is taken over if its process ran on this machine and is
 * dead, or if it was not renewed for 15 minutes. If its age tells nothing, this run first watches whether it is renewed.
 * journal/target-lock.ts has the lock of the stack that an import writes to.
 * @throws StackferryError `locked` if another run holds the lock
 */
export async function takeStackLock(
  stack: string,
  dependencies: BackupDependencies,
  context: RunContext,
): Promise<StackLock> {
  const { repository, clock, owner } = dependencies;
  const name = lockFileName(stack);
  const token = dependencies.createToken();
  const takenAt = new Date(clock.now()).toISOString();
  const textNow = (): string => {
    const { isAlive: _isAlive, ...process } = owner;
    return `${JSON.stringify({ token, ...process, takenAt, renewedAt: new Date(clock.now()).toISOString() })}\n`;
  };
  const lock: OwnLock = { stack, name, token, textNow };
  const found = await readAbandonedLock(stack, dependencies, context);
  // A file that is not a lock has no token to compare, so the file is removed. No run writes or renews such a file.
  if (found?.problem !== undefined) await repository.remove(name);
  const version = found?.problem === undefined ? found?.version : undefined;
  const taken = await writeLock(lock, version, repository);
  if (!taken.done) throw lockedError(stack, parseHolder(await repository.readText(name)));
  if (!taken.sure) {
    await clock.sleep(SETTLE_MS, context.signal);
    const settled = parseHolder(await repository.readText(name));
    if (settled?.token !== token) throw lockedError(stack, settled);
  }
  if (found) emitTakeoverWarning(stack, parseHolder(found), context);
  return keepLock(lock, taken.version, dependencies);
}

/**
 * Returns the lock that another run left behind; undefined if there is no lock.
 * @throws StackferryError `locked` if the other run still holds it
 */
async function readAbandonedLock(
  stack: string,
  dependencies: BackupDependencies,
  { events, signal }: RunContext,
): Promise<StoredTextFile | undefined> {
  const { repository, clock } = dependencies;
  const name = lockFileName(stack);
  const found = await repository.readText(name);
  if (found === undefined) return undefined;
  const holder = parseHolder(found);
  const state = judgeLock(found, holder, dependencies);
  if (state === "held") throw lockedError(stack, holder);
  if (state === "abandoned") return found;
  const reason = `${nameOfHolder(holder)} may still be working on ${stack}'s backups`;
  events({ type: "wait", reason, waitMs: WATCH_MS });
  await clock.sleep(WATCH_MS, signal);
  const later = await repository.readText(name);
  if (later !== undefined && later.version !== found.version) throw lockedError(stack, parseHolder(later));
  return later;
}

/** The lock that this run takes: the stack, the name of its file, the token that tells it from other locks, and its text now. */
interface OwnLock {
  readonly stack: string;
  readonly name: string;
  readonly token: string;
  readonly textNow: () => string;
}

/** Reads the stored lock; undefined if it is another run's. */
async function readOwn({ name, token }: OwnLock, repository: Repository): Promise<StoredTextFile | undefined> {
  const current = await repository.readText(name);
  return parseHolder(current)?.token === token ? current : undefined;
}

/**
 * Writes the lock. If the response is lost, or if the repository refuses a repeated request because the first one succeeded, the
 * stored token tells whether the write happened. If the token is ours, the lock is replaced once more, to be certain.
 */
async function writeLock(lock: OwnLock, version: string | undefined, repository: Repository): Promise<SwapResult> {
  const text = lock.textNow();
  let written: SwapResult;
  try {
    written = await repository.swap(lock.name, text, version);
  } catch (error) {
    const ours = await readOwn(lock, repository).catch(() => undefined);
    if (ours === undefined) throw unwrittenLock(error);
    return await repository.swap(lock.name, text, ours.version);
  }
  if (written.done) return written;
  const ours = await readOwn(lock, repository);
  return ours === undefined ? written : await repository.swap(lock.name, text, ours.version);
}

/** Returns the lock that this run has taken, and renews it until it is released. */
function keepLock(lock: OwnLock, firstVersion: string, { repository, clock }: BackupDependencies): StackLock {
  const { stack, name, textNow } = lock;
  const ended = new AbortController();
  let version = firstVersion;
  let renewedAt = clock.now();
  let lost = false;

  const isRecent = (): boolean => Math.abs(clock.now() - renewedAt) < LOCK_ABANDONED_MS;

  async function renewLock(): Promise<void> {
    const at = clock.now();
    // A short failure of the repository is harmless; `assertHeld` detects a long one.
    const swapped = await repository.swap(name, textNow(), version).catch((): SwapResult | undefined => undefined);
    if (swapped === undefined) return;
    if (swapped.done) ({ version } = swapped);
    const stillOurs = swapped.done || (await isOurs().catch(() => true));
    if (stillOurs && swapped.done) renewedAt = at;
    lost ||= !stillOurs;
  }

  async function isOurs(): Promise<boolean> {
    const ours = await readOwn(lock, repository);
    // The stored lock may be our own write, whose response was lost.
    version = ours?.version ?? version;
    return ours !== undefined;
  }

  const renewing = (async () => {
    while (!ended.signal.aborted && !lost) {
      await clock.sleep(LOCK_RENEWAL_MS, ended.signal).catch(() => {});
      if (!ended.signal.aborted) await renewLock();
    }
  })();

  return {
    async assertHeld() {
      if (!lost && !isRecent()) await renewLock();
      if (!lost && isRecent()) return;
      throw new StackferryError("locked", `this run lost the lock of ${stack}'s backups`, {
        hint: "another run took it over, or this machine slept; nothing more was written, so run again",
      });
    },
    async [Symbol.asyncDispose]() {
      ended.abort();
      await renewing;
      // A lock that cannot be removed must not turn a good backup into a failed one. The next run takes the lock over.
      if (!lost && (await isOurs().catch(() => false))) await repository.remove(name).catch(() => {});
    },
  };
}

/** Tells whether a lock is held. `unclear`: its age tells nothing, because a clock has jumped, or its process may have slept. */
function judgeLock(
  found: StoredTextFile,
  holder: Holder | undefined,
  { clock, owner }: BackupDependencies,
): "held" | "abandoned" | "unclear" {
  const now = clock.now();
  const stated = holder === undefined ? found.modifiedAt : Date.parse(holder.renewedAt);
  // The repository's own time of the write may be right if the time in the lock is in the future.
  const age = now - (stated > now + CLOCK_TOLERANCE_MS ? found.modifiedAt : stated);
  const isOld = !(age < LOCK_ABANDONED_MS);
  const isOnThisHost = holder?.host === owner.host;
  const isVisible = isOnThisHost && holder.pidNamespace === owner.pidNamespace;
  if (isVisible && !isRunning(holder, owner)) return "abandoned";
  if (age < -CLOCK_TOLERANCE_MS || (isOld && isVisible)) return "unclear";
  // Containers may share a host name. This process cannot see a process of another container, but sees whether that process renews
  // its lock.
  const isSilent = isOnThisHost && !isVisible && age > MISSED_RENEWALS * LOCK_RENEWAL_MS;
  return isOld || isSilent ? "abandoned" : "held";
}

function isRunning({ pid, instance }: Holder, owner: LockOwner): boolean {
  return pid === owner.pid ? instance === owner.instance : owner.isAlive(pid);
}

function parseHolder(found: StoredTextFile | undefined): Holder | undefined {
  return parseJsonAs(holderSchema, found?.text ?? "");
}

function lockedError(stack: string, holder: Holder | undefined): StackferryError {
  const work = `${stack}'s backups`;
  const message =
    holder === undefined
      ? `another run is working on ${work}`
      : `process ${holder.pid} on ${holder.host} has been working on ${work} since ${holder.takenAt}`;
  const minutes = LOCK_ABANDONED_MS / 60_000;
  const hint = `Wait for it to end. A lock that is not renewed for ${minutes} minutes is taken over by the next run.`;
  return new StackferryError("locked", message, { hint });
}

/**
 * Returns the error of a lock that could not be written. On a full disk, somebody has to remove a backup by hand, because a run
 * without a lock removes nothing.
 */
function unwrittenLock(error: unknown): unknown {
  if (!(error instanceof StackferryError) || error.code !== "archive-io") return error;
  const { message, hint = "check the disk" } = error;
  const advice = `${hint}; if it is full, remove an old backup by hand: without room for its lock, prune cannot`;
  return rewordError(error, message, advice);
}

function nameOfHolder(holder: Holder | undefined): string {
  return holder === undefined ? "a run" : `process ${holder.pid} on ${holder.host}`;
}

function emitTakeoverWarning(stack: string, holder: Holder | undefined, { events }: RunContext): void {
  const message = `took over the lock of ${stack}'s backups: ${nameOfHolder(holder)} left it behind`;
  events({ type: "warning", warning: { code: "lock-taken-over", message } });
}
