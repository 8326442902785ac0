import { mkdirSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { removeTemporaryFolders } from "./temporary-folder.ts";

/**
 * Gives each process of tests, and the programs that it starts, its own home folder. The library keeps the key that seals journals
 * there, and a test must not touch the user's key. npm still uses its files in the user's home.
 */
process.env["npm_config_cache"] ??= join(homedir(), ".npm");
process.env["npm_config_userconfig"] ??= join(homedir(), ".npmrc");
const home = join(tmpdir(), `stackferry-home-${process.pid}`);
process.env["HOME"] = home;
process.env["XDG_STATE_HOME"] = join(home, ".local", "state");

// A file whose tests are all skipped runs no hooks, so the folder is made in a hook: otherwise nobody would remove it.
beforeAll(() => {
  mkdirSync(home, { recursive: true });
});
afterAll(() => {
  rmSync(home, { recursive: true, force: true });
  removeTemporaryFolders();
});
