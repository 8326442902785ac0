import { randomBytes } from "node:crypto";
import { readlinkSync } from "node:fs";
import { rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { z } from "zod";
import { StackferryError } from "../core/errors.ts";
import { parseJsonAs } from "../core/json.ts";
import type { StackIdentity } from "../core/records/record.ts";
import { fileNamePart } from "../core/text/format.ts";
import { makePrivateFolder, writeNewFile } from "../files/atomic-write.ts";
import { systemErrorCode, systemMessage } from "../files/errors.ts";
import { readRegularFile } from "../files/regular-file.ts";

/** Tells this process from an earlier one with the same pid, as after a container's restart. */
const INSTANCE = randomBytes(8).toString("hex");

/**
 * Without the lock, two parallel runs would create the same records twice. Takes over the lock of a dead process.
 * @throws StackferryError `locked`, or `journal` if the folder cannot be written
 */
export async function takeTargetLock(folder: string, target: StackIdentity): Promise<AsyncDisposable> {
  const path = join(folder, `${lockName(target)}.lock`);
  try {
    await makePrivateFolder(folder);
    await writeNewFile(join(folder, ".gitignore"), "*\n").catch(ignoreExisting);
    return await takeLock(path);
  } catch (error) {
    throw error instanceof StackferryError ? error : unusableFolderError(folder, error);
  }
}

/** A managed service is named by its ids, because it can have several addresses. */
function lockName({ baseUrl, organizationId, serviceId }: StackIdentity): string {
  const address = serviceId === undefined ? baseUrl.replace(/^https?:/, "") : `${organizationId}-${serviceId}`;
  return fileNamePart(address) || "stack";
}

async function takeLock(path: string): Promise<AsyncDisposable> {
  if (await makeLock(path)) return lockAt(path);
  const holder = await holderOf(path);
  if (!isGone(holder)) throw lockedError(path, holder);
  // A second lock (PATH.PID) keeps another process, which found the same dead lock, from removing the new one.
  await using _takeover = await takeLock(`${path}.${holder.pid}`);
  const now = await holderOf(path);
  if (now !== undefined && !isGone(now)) throw lockedError(path, now);
  if (now !== undefined) await rm(path, { force: true });
  if (!(await makeLock(path))) throw lockedError(path, await holderOf(path));
  return lockAt(path);
}

function lockAt(path: string): AsyncDisposable {
  return { [Symbol.asyncDispose]: () => rm(path, { force: true }) };
}

async function makeLock(path: string): Promise<boolean> {
  try {
    const since = new Date().toISOString();
    await writeNewFile(path, JSON.stringify({ ...processIdentity(), instance: INSTANCE, since }));
    return true;
  } catch (error) {
    ignoreExisting(error);
    return false;
  }
}

function ignoreExisting(error: unknown): void {
  if (systemErrorCode(error) !== "EEXIST") throw error;
}

/** A process of another container counts as running, because its pid says nothing here. */
function isGone(holder: Holder | undefined): holder is Holder {
  if (holder === undefined) return false;
  const { host, pid, pidNamespace } = processIdentity();
  const isVisible = holder.host === host && (holder.pidNamespace ?? pidNamespace) === pidNamespace;
  const isRunning = holder.pid === pid ? (holder.instance ?? INSTANCE) === INSTANCE : isProcessAlive(holder.pid);
  return isVisible && !isRunning;
}

/** Each container can have a pid namespace of its own. */
function processIdentity(): Pick<Holder, "host" | "pid" | "pidNamespace"> {
  const identity = { host: hostname(), pid: process.pid };
  try {
    return { ...identity, pidNamespace: readlinkSync("/proc/self/ns/pid") };
  } catch {
    return identity; // Only Linux has namespaces.
  }
}

function isProcessAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemErrorCode(error) === "EPERM";
  }
}

const holderSchema = z.object({
  host: z.string(),
  pid: z.number(),
  pidNamespace: z.string().exactOptional(),
  instance: z.string().exactOptional(),
  since: z.iso.datetime().exactOptional(),
});
type Holder = z.output<typeof holderSchema>;

async function holderOf(path: string): Promise<Holder | undefined> {
  const text = await readRegularFile(path).catch(() => "");
  return parseJsonAs(holderSchema, text);
}

function lockedError(path: string, holder: Holder | undefined): StackferryError {
  const { pid, host, since } = holder ?? {};
  const who = holder === undefined ? "another run" : `process ${pid} on ${host}`;
  const message = `${who} is working on this stack${since === undefined ? "" : `, since ${since}`}`;
  const hint = `Wait for it to end. If you are sure that it has ended, delete ${path}.`;
  return new StackferryError("locked", message, { hint });
}

function unusableFolderError(folder: string, cause: unknown): StackferryError {
  const message = `the lock of the stack cannot be kept in ${folder}: ${systemMessage(cause)}`;
  const hint =
    "Nothing was read or written. Make the folder writable, or name another one: journals: in the configuration, or --journals.";
  return new StackferryError("journal", message, { cause, hint });
}
