import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const program = fileURLToPath(new URL("../../bin/stackferry.js", import.meta.url));

async function exitOf(child: ChildProcess): Promise<unknown> {
  const [code] = await once(child, "exit");
  return code;
}

describe("the program itself", () => {
  it("prints its version", async () => {
    const child = spawn(process.execPath, [program, "--version"], { stdio: ["ignore", "pipe", "inherit"] });
    const [version, code] = await Promise.all([text(child.stdout), exitOf(child)]);
    expect([code, version]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
  });

  it("does not mind a reader that has had enough", async () => {
    const child = spawn(process.execPath, [program, "--help"], { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.destroy();
    const [errors, code] = await Promise.all([text(child.stderr), exitOf(child)]);
    expect([code, errors]).toEqual([0, ""]);
  });

  it("runs a sandbox until it is told to stop", async () => {
    const args = [program, "sandbox", "--variant", "self-hosted", "--seed", "bare", "--json", "--quiet"];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = await once(child.stdout, "data");
    const described: unknown = JSON.parse(String(line));
    expect(described).toMatchObject({ variant: "self-hosted", stack: expect.stringContaining("http://127.0.0.1:") });
    child.kill("SIGTERM");
    expect(await exitOf(child)).toBe(0);
  });
});
