import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Set while a run has its folder: each project of a run comes here, and the first one makes it. */
const OWNED = "STACKFERRY_TESTS_TMPDIR";

/** Gives the whole run a folder for temporary files, and fails the run if a test leaves something in it. */
export function setup(): (() => void) | undefined {
  if (process.env[OWNED] !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "stackferry-tests-"));
  process.env[OWNED] = folder;
  process.env["TMPDIR"] = folder;
  return () => {
    const left = readdirSync(folder);
    rmSync(folder, { recursive: true, force: true });
    if (left.length === 0) return;
    process.exitCode = 1;
    throw new Error(`tests left in the temporary folder: ${left.join(", ")}`);
  };
}
