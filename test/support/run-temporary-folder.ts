import { mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The variable with the path of the run's folder. Each project of a run calls `setup`; only the first call makes the folder. */
const OWNED = "STACKFERRY_TESTS_TMPDIR";

/** The folder in which Linux keeps files in memory. Flushing thousands of small files takes half as long there. */
const IN_MEMORY = "/dev/shm";
const MIN_FREE_BYTES = 8 * 1024 ** 3;

/** Gives the run a folder for temporary files, and fails the run if a test leaves a file there. */
export function setup(): (() => void) | undefined {
  if (process.env[OWNED] !== undefined) return undefined;
  const folder = mkdtempSync(join(hasRoom(IN_MEMORY) ? IN_MEMORY : tmpdir(), "stackferry-tests-"));
  process.env[OWNED] = folder;
  process.env["TMPDIR"] = folder;
  // Otherwise npm, under Node 24, keeps compiled code in the folder.
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
