import { rm, stat } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { writeAtomically, writeNewFile, type WriteOptions } from "./atomic-write.ts";
import { systemErrorCode } from "./errors.ts";
import { readRegularFile } from "./regular-file.ts";

/**
 * Milliseconds after which a claim (the lock file of one write) counts as left by a killed process: a live process keeps a claim
 * for only a few milliseconds.
 */
const CLAIM_MS = 60_000;

/** Milliseconds between two attempts to make a claim, and the number of attempts. */
const CLAIM_PAUSE_MS = 20;
const CLAIM_TRIES = 100;

/**
 * Writes a small file if its content is still the expected one. Safe if other processes do the same at the same time: they take
 * turns, and none of them sees a half-written file.
 * @param expected the content to replace; undefined: the file must not exist
 * @returns whether it was written. Throws system errors
 */
export async function swapText(
  path: string,
  text: string,
  expected: string | undefined,
  options: WriteOptions = {},
): Promise<boolean> {
  const claim = `${path}.claim`;
  if (!(await makeClaim(claim))) return false;
  try {
    if ((await textAt(path)) !== expected) return false;
    await writeAtomically(path, text, options);
    return true;
  } finally {
    await rm(claim, { force: true });
  }
}

/** Returns false if another process keeps the claim. Replaces a claim that a killed process left. */
async function makeClaim(claim: string): Promise<boolean> {
  for (let tries = 0; tries < CLAIM_TRIES; tries += 1) {
    if (await createNew(claim)) return true;
    await setTimeout(CLAIM_PAUSE_MS);
  }
  if (!(await isLeftBehind(claim))) return false;
  await rm(claim, { force: true });
  return createNew(claim);
}

async function isLeftBehind(claim: string): Promise<boolean> {
  const claimed = await stat(claim).catch(() => undefined);
  // A claim from before the clock was set back has a time in the future.
  return claimed !== undefined && Math.abs(Date.now() - claimed.mtimeMs) >= CLAIM_MS;
}

/** Returns the text of a file, undefined if there is none, or a symbol that equals no text if it is not a readable file. */
async function textAt(path: string): Promise<string | undefined | symbol> {
  return await readRegularFile(path).catch((error: unknown) =>
    systemErrorCode(error) === "ENOENT" ? undefined : Symbol("no text"),
  );
}

async function createNew(path: string): Promise<boolean> {
  try {
    await writeNewFile(path, "");
    return true;
  } catch (error) {
    if (systemErrorCode(error) === "EEXIST") return false;
    throw error;
  }
}
