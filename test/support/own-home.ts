import { mkdirSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { removeTemporaryFolders } from "./temporary-folder.ts";

/**
 * A home of its own for each test file, and for the programs that it starts: the library keeps the key that seals journals
 * under the home, and a test must not touch the user's. What npm knows of the user's home stays known.
 */
process.env["npm_config_cache"] ??= join(homedir(), ".npm");
process.env["npm_config_userconfig"] ??= join(homedir(), ".npmrc");
const home = join(tmpdir(), `stackferry-home-${process.pid}`);
process.env["HOME"] = home;
process.env["XDG_STATE_HOME"] = join(home, ".local", "state");

// A file whose tests are all skipped runs no hooks, so nothing is made before them.
beforeAll(() => {
  mkdirSync(home, { recursive: true });
});
afterAll(() => {
  rmSync(home, { recursive: true, force: true });
  removeTemporaryFolders();
});
