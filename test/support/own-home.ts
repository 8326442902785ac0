import { mkdirSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A home of their own for the tests of this process, and for the programs that they start: the library keeps the key that seals
 * journals under the home, and a test must not touch the user's. What npm knows of the user's home stays known.
 */
const home = join(tmpdir(), `stackferry-home-${process.pid}`);
if (process.env["HOME"] !== home) {
  process.env["npm_config_cache"] ??= join(homedir(), ".npm");
  process.env["npm_config_userconfig"] ??= join(homedir(), ".npmrc");
  mkdirSync(home, { recursive: true });
  process.env["HOME"] = home;
  process.env["XDG_STATE_HOME"] = join(home, ".local", "state");
}
