import { open, readFile, rm } from "node:fs/promises";
import { hostname } from "node:os";
import process from "node:process";
import { StackferryError, errorMessage } from "../domain/errors.ts";

/** Held while this process may write to a journal. */
export interface FileLock extends AsyncDisposable {
  readonly path: string;
}

/**
 * Takes the lock file of a journal: two runs of the same import at once would each create what the other is about to.
 * The lock of a process of this machine that is gone (killed, crashed) is taken over. Throws `locked` otherwise.
 */
export async function takeLock(path: string): Promise<FileLock> {
  for (let tries = 1; ; tries += 1) {
    try {
      const file = await open(path, "wx", 0o600);
      await file.writeFile(JSON.stringify({ pid: process.pid, host: hostname() }));
      await file.close();
      return { path, [Symbol.asyncDispose]: () => rm(path, { force: true }) };
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw unusable(path, error);
      const holder = await holderOf(path);
      if (tries > 2 || !holder || holder.host !== hostname() || isAlive(holder.pid)) throw held(path, holder);
      await rm(path, { force: true });
    }
  }
}

async function holderOf(path: string): Promise<{ pid: number; host: string } | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    if (typeof value !== "object" || value === null || !("pid" in value) || !("host" in value)) return undefined;
    const { pid, host } = value;
    return typeof pid === "number" && typeof host === "string" ? { pid, host } : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function held(path: string, holder: { pid: number; host: string } | undefined): StackferryError {
  const who = holder ? `process ${holder.pid} on ${holder.host}` : "another run";
  const hint = `Wait for it to end. If it has surely ended, delete ${path}.`;
  return new StackferryError("locked", `${who} is working with this journal`, { hint });
}

function unusable(path: string, cause: unknown): StackferryError {
  const hint = "Name a journal in a folder that can be written with --journal.";
  return new StackferryError("journal", `the lock ${path} cannot be made: ${errorMessage(cause)}`, { cause, hint });
}
