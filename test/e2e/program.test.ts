import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { constants } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { sandboxEnv } from "../support/program.ts";
import { programWithArchive } from "../support/program-with-archive.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const programPath = fileURLToPath(new URL("../../bin/stackferry.js", import.meta.url));
/** Runs a command on a terminal of its own. */
const SCRIPT = "/usr/bin/script";

async function exitOf(child: ChildProcess): Promise<unknown> {
  const [code] = await once(child, "exit");
  return code;
}

describe("the program itself", () => {
  it("prints its version", async () => {
    const child = spawn(process.execPath, [programPath, "--version"], { stdio: ["ignore", "pipe", "inherit"] });
    const [version, code] = await Promise.all([text(child.stdout), exitOf(child)]);
    expect([code, version]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
  });

  it("says which flag a flag needs, although it lacks the translations of its parser", async () => {
    const args = [programPath, "check", "backups", "--accept-suspect"];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "pipe"] });
    const [errors, code] = await Promise.all([text(child.stderr), exitOf(child)]);
    expect([code, errors]).toEqual([2, expect.stringContaining("--accept-suspect needs --stack")]);
  });

  it("ends with 0 and no error if the reader of its output closes the pipe", async () => {
    const child = spawn(process.execPath, [programPath, "--help"], { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.destroy();
    const [errors, code] = await Promise.all([text(child.stderr), exitOf(child)]);
    expect([code, errors]).toEqual([0, ""]);
  });

  it("runs a sandbox until a signal stops it", async () => {
    const args = [programPath, "sandbox", "--variant", "self-hosted", "--seed", "bare", "--json", "--quiet"];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = await once(child.stdout, "data");
    const described: unknown = JSON.parse(String(line));
    expect(described).toMatchObject({ variant: "self-hosted", stack: expect.stringContaining("http://127.0.0.1:") });
    child.kill("SIGTERM");
    expect(await exitOf(child)).toBe(0);
  });

  it.runIf(existsSync(SCRIPT))("ends by SIGHUP, and not by an abort, if its terminal is closed", async () => {
    const code = join(temporaryFolder(), "code");
    // The inner shell outlives the terminal, and so can tell how its program ended.
    const inner = `trap '' HUP; node ${programPath} sandbox --variant self-hosted --seed bare; echo $? > ${code}`;
    const script = spawn(SCRIPT, ["-qfc", `(${inner}); true`, "/dev/null"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    while (!String(await once(script.stdout, "data")).includes("http://"));
    script.kill("SIGKILL");
    await vi.waitFor(
      async () => expect(await readFile(code, "utf8")).toBe(`${128 + constants.signals.SIGHUP}\n`),
      10_000,
    );
  });

  it("reads its own code and that of small packages from few files", async () => {
    await using program = await programWithArchive();
    const files = async (...args: string[]): Promise<string[]> => {
      const folder = temporaryFolder();
      const env = { ...process.env, ...sandboxEnv(program.to), NODE_V8_COVERAGE: folder };
      const child = spawn(process.execPath, [programPath, ...args], { cwd: program.cwd, env, stdio: "ignore" });
      expect(await exitOf(child)).toBe(0);
      return loadedScripts(folder);
    };
    const inspect = await files("inspect", "a.zip");
    expect(inspect.filter((file) => file.includes("/node_modules/"))).toEqual([]);
    expect(inspect.length).toBeLessThanOrEqual(75);
    const ours = (await files("import", "a.zip", "--to", program.to.stack, "--yes")).filter(
      (file) => !file.includes("/node_modules/"),
    );
    expect(ours.length).toBeGreaterThan(20);
    expect(ours.length).toBeLessThanOrEqual(100);
  });
});

/** Returns the files that a process has loaded, according to Node's coverage output. */
function loadedScripts(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(folder, name), "utf8")) as { result: { url: string }[] };
    return result.map(({ url }) => url).filter((url) => url.startsWith("file:"));
  });
}
