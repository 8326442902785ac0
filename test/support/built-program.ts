import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../..");

/** Builds the program if it is missing or older than its sources. vitest calls this once, before the tests. */
export function setup(): void {
  const built = statSync(join(ROOT, "dist/bundle/cli/main.js"), { throwIfNoEntry: false });
  if (built !== undefined && built.mtimeMs > newestSource()) return;
  execFileSync("npm", ["run", "--silent", "build"], { cwd: ROOT, stdio: "inherit" });
}

function newestSource(): number {
  const files = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" });
  return Math.max(...files.map((file) => statSync(join(ROOT, "src", file)).mtimeMs));
}
