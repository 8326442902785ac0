import { rm, stat } from "node:fs/promises";
import type { Swap } from "../core/ports.ts";
import { writeAtomically, writeNewFile } from "../files/atomic-write.ts";
import { systemCode } from "../files/errors.ts";
import { readRegularFile } from "../files/regular-file.ts";

/** A process has a claim for milliseconds. An older claim was left behind by a killed process. */
const CLAIM_MS = 60_000;

/**
 * Writes a small file if its content is still the expected one. Other processes may do the same at the same time.
 * @param expected the content that is to be replaced; undefined: there must be no file
 */
export async function folderSwap(
  path: string,
  text: string,
  expected: string | undefined,
  now: () => number,
): Promise<Swap> {
  const done = expected === undefined ? await createNew(path, text) : await replaceClaimed(path, text, expected, now);
  return done ? { done, version: text, sure: true } : { done };
}

async function replaceClaimed(path: string, text: string, expected: string, now: () => number): Promise<boolean> {
  const claim = `${path}.claim`;
  if (!(await createNew(claim, ""))) {
    const claimed = await stat(claim).catch(() => undefined);
    if (claimed === undefined || now() - claimed.mtimeMs < CLAIM_MS) return false;
    await rm(claim, { force: true });
    if (!(await createNew(claim, ""))) return false;
  }
  try {
    // Whoever had the claim before may have replaced the file since the caller read it.
    if ((await readRegularFile(path).catch(() => undefined)) !== expected) return false;
    await writeAtomically(path, text);
    return true;
  } finally {
    await rm(claim, { force: true });
  }
}

async function createNew(path: string, text: string): Promise<boolean> {
  try {
    await writeNewFile(path, text);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}
