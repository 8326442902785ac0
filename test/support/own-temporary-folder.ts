import { mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Set while a run has its folder: each project of a run comes here, and the first one makes it. */
const OWNED = "STACKFERRY_TESTS_TMPDIR";

/** Where Linux keeps files in memory: thousands of small files that are flushed take half as long there. */
const IN_MEMORY = "/dev/shm";
const MIN_FREE_BYTES = 8 * 1024 ** 3;

/** Gives the whole run a folder for temporary files, and fails the run if a test leaves something in it. */
export function setup(): (() => void) | undefined {
  if (process.env[OWNED] !== undefined) return undefined;
  const folder = mkdtempSync(join(hasRoom(IN_MEMORY) ? IN_MEMORY : tmpdir(), "stackferry-tests-"));
  process.env[OWNED] = folder;
  process.env["TMPDIR"] = folder;
  // npm under Node 24 keeps compiled code there.
  process.env["NODE_DISABLE_COMPILE_CACHE"] = "1";
  return () => {
    const left = readdirSync(folder);
    rmSync(folder, { recursive: true, force: true });
    if (left.length === 0) return;
    process.exitCode = 1;
    throw new Error(`tests left in the temporary folder: ${left.join(", ")}`);
  };
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= MIN_FREE_BYTES;
  } catch {
    return false;
  }
}
