import { open, readFile, rename, rm, stat } from "node:fs/promises";
import type { Swap } from "../core/ports.ts";
import { systemCode } from "./errors.ts";

/** A claim is held for milliseconds; one that is older is what a killed process has left behind. */
const CLAIM_MS = 60_000;

/** What a conditional write in a folder is made with. */
export interface FolderSwap {
  readonly path: string;
  readonly text: string;
  /** The content that is to be replaced; undefined: there must be none. */
  readonly expected: string | undefined;
  /** A new name on the same file system. */
  readonly temporary: string;
  readonly now: () => number;
}

/** Writes a small file if it is still what the caller thinks it is, safe against other processes doing the same. */
export async function folderSwap(swap: FolderSwap): Promise<Swap> {
  const { path, text, expected } = swap;
  const done = expected === undefined ? await createNew(path, text) : await replaceClaimed(swap, expected);
  return done ? { done, version: text, sure: true } : { done };
}

async function replaceClaimed({ path, text, temporary, now }: FolderSwap, expected: string): Promise<boolean> {
  const claim = `${path}.claim`;
  if (!(await createNew(claim, ""))) {
    const claimed = await stat(claim).catch(() => undefined);
    if (claimed === undefined || now() - claimed.mtimeMs < CLAIM_MS) return false;
    await rm(claim, { force: true });
    if (!(await createNew(claim, ""))) return false;
  }
  try {
    // Whoever had the claim before may have replaced the file since the caller read it.
    if ((await readFile(path, "utf8").catch(() => undefined)) !== expected) return false;
    if (!(await createNew(temporary, text))) return false;
    await rename(temporary, path);
    return true;
  } finally {
    await rm(temporary, { force: true });
    await rm(claim, { force: true });
  }
}

async function createNew(path: string, text: string): Promise<boolean> {
  let created = false;
  try {
    await using file = await open(path, "wx", 0o600);
    created = true;
    await file.writeFile(text);
    await file.sync();
    return true;
  } catch (error) {
    if (!created && systemCode(error) === "EEXIST") return false;
    // A file without its content, on a full disk, would look like somebody's.
    if (created) await rm(path, { force: true });
    throw error;
  }
}
