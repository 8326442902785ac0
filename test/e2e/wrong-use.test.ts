import { readFile, readdir, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { startOddServer } from "../support/odd-server.ts";
import { rawZip } from "../support/raw-zip.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import type { CliRun } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const cwd = temporaryFolder();
let sandbox: Sandbox;
let env: Record<string, string>;

beforeAll(async () => {
  sandbox = await startSandbox({ variant: "self-hosted", seed: "sample" });
  env = sandboxEnv(sandbox);
  await run("export", "--from", sandbox.stack, "--out", "good.zip");
  await run("export", "--from", sandbox.stack, "--out", "newer", "--format", "folder");
  await makeWrongArchives(join(cwd, "good.zip"), join(cwd, "newer"));
});

afterAll(() => sandbox.close());

async function run(...args: string[]): Promise<CliRun> {
  return runCli(args, { env, cwd });
}

async function makeWrongArchives(good: string, newer: string): Promise<void> {
  const bytes = await readFile(good);
  await writeFile(join(cwd, "cut.zip"), bytes);
  await truncate(join(cwd, "cut.zip"), Math.floor(bytes.length / 2));
  const flipped = Buffer.from(bytes);
  // Inside the first entry's data: behind its header of 30 bytes and its name.
  const position = 30 + bytes.readUInt16LE(26) + 20;
  flipped[position] = (flipped[position] ?? 0) ^ 1;
  await writeFile(join(cwd, "flipped.zip"), flipped);
  await writeFile(join(cwd, "empty.zip"), "");
  await writeFile(join(cwd, "text.zip"), "this is no archive");
  await writeFile(join(cwd, "foreign.zip"), rawZip([{ name: "hello.txt", content: "hello" }]));
  const manifest = join(newer, "manifest.json");
  const text = await readFile(manifest, "utf8");
  await writeFile(manifest, text.replace('"formatVersion": 1', '"formatVersion": 99'));
}

/** One sentence, what to do next, nothing on stdout, and no trace of the key. */
function expectRefusal({ exitCode, stdout, stderr }: CliRun, expected: number): void {
  expect({ exitCode, stdout }).toEqual({ exitCode: expected, stdout: "" });
  expect(stderr).toMatch(/^stackferry: .+$/m);
  expect(stderr).not.toContain("bug");
  expect(stderr).not.toContain(sandbox.apiKey ?? "-");
}

describe("an archive in a folder that is not there (1)", () => {
  it("is refused before the stack is asked anything", async () => {
    const before = sandbox.stats().total;
    expectRefusal(await run("export", "--from", sandbox.stack, "--out", "nowhere/a.zip"), 1);
    expect(sandbox.stats().total).toBe(before);
  });
});

describe("a wrong line or configuration (2)", () => {
  it.each([
    [["exprot", "--from", "x"]],
    [["export", "--form", "x"]],
    [["inspect", "nowhere.zip"]],
    [["doctor", "nobody"]],
    [["doctor", "http://admin:hunter2@127.0.0.1:1"]],
    [["doctor", "http://127.0.0.1:1", "--config", "nowhere.yaml"]],
    [["export", "--from", "http://127.0.0.1:1", "--kinds", "dashbords"]],
  ])("%j", async (args) => {
    const refused = await run(...args);
    expectRefusal(refused, 2);
    expect(refused.stderr).not.toContain("hunter2");
  });

  it("a credential that is not there, named", async () => {
    const refused = await runCli(["export", "--from", sandbox.stack], { cwd });
    expectRefusal(refused, 2);
    expect(refused.stderr).toContain("STACKFERRY_FROM_API_KEY");
  });

  it.each([
    ['webhooks: { "oncall-slack": "no such webhook" }', "no such webhook"],
    ['nonsense: { "a": "b" }', "nonsense"],
  ])("a map file that names what does not exist: %s", async (text, name) => {
    await writeFile(join(cwd, "map.yaml"), text);
    const refused = await run("import", "good.zip", "--to", sandbox.stack, "--map", "map.yaml", "--quiet");
    expectRefusal(refused, 2);
    expect(refused.stderr).toContain(name);
  });
});

it("a map file's entry that the archive lacks is a warning, with what it may have meant", async () => {
  await writeFile(join(cwd, "map.yaml"), 'sources: { "Lgos": "Logs", "Logs": "Logs" }');
  const args = ["import", "good.zip", "--to", sandbox.stack, "--map", "map.yaml", "--dry-run", "--json"];
  const document = documentOf(await run(...args));
  const warning = { code: "map-entry-unused", message: expect.stringMatching(/"Lgos".*did you mean "Logs"/) };
  expect(document).toMatchObject({ exitCode: 0, warnings: [warning] });
});

describe("a file that cannot be written (1)", () => {
  it.each(["nowhere/at/all.zip", "good.zip/below-a-file.zip"])("--out %s", async (out) => {
    expectRefusal(await run("export", "--from", sandbox.stack, "--out", out, "--quiet"), 1);
  });
});

describe("an archive that is none, or no more (4)", () => {
  it.each(["cut.zip", "flipped.zip", "newer", "foreign.zip", "empty.zip", "text.zip"])("%s", async (name) => {
    const refused = await run("verify", name, "--quiet");
    expectRefusal(refused, 4);
    expect(refused.stderr).toContain(name === "newer" ? "99" : name);
    const before = sandbox.stats().byRoute;
    expectRefusal(await run("import", name, "--to", sandbox.stack, "--quiet"), 4);
    expect(sandbox.stats().byRoute).toEqual(before);
  });
});

describe("a stack that refuses (5), or does not answer as one (6)", () => {
  it("a wrong key", async () => {
    const wrong = { STACKFERRY_API_KEY: "wrong-key-0123456789" };
    const refused = await runCli(["export", "--from", sandbox.stack, "--quiet"], { env: wrong, cwd });
    expectRefusal(refused, 5);
    expect(refused.stderr).not.toContain("wrong-key");
    const doctor = await runCli(["doctor", sandbox.stack, "--json"], { env: wrong, cwd });
    expect(doctor.exitCode).toBe(5);
    expect(documentOf(doctor)).toMatchObject({ ok: false, stacks: [{ reachable: true, accepted: false }] });
  });

  it("a dead host", async () => {
    const dead = await startOddServer(() => {});
    await dead[Symbol.asyncDispose]();
    expectRefusal(await run("export", "--from", dead.url, "--timeout", "50ms", "--quiet"), 6);
    const doctor = await run("doctor", dead.url, "--timeout", "50ms", "--json");
    expect(doctor.exitCode).toBe(6);
    expect(documentOf(doctor)).toMatchObject({ stacks: [{ reachable: false, accepted: false }] });
  });

  it("a host that never answers", async () => {
    await using silent = await startOddServer(() => {});
    expectRefusal(await run("export", "--from", silent.url, "--timeout", "50ms", "--quiet"), 6);
  });

  it("a web page instead of an API", async () => {
    await using page = await startOddServer((_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<html><body>Welcome</body></html>");
    });
    const refused = await run("export", "--from", page.url, "--timeout", "100ms", "--quiet");
    expectRefusal(refused, 6);
    expect(refused.stderr).toContain("8000");
  });

  it("leaves no archive behind", async () => {
    expect((await readdir(cwd)).filter((name) => /stackferry-|tmp/.test(name))).toEqual([]);
  });
});
