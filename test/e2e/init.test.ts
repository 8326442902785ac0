import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import type { CliRun } from "../support/run-cli.ts";
import { root } from "../support/documents.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const written = (cwd: string): Promise<string> => readFile(join(cwd, "stackferry.yaml"), "utf8");

/** The file can be used as it stands, and holds no key. */
async function expectUsable(cwd: string, sandbox: Sandbox, env: Record<string, string>): Promise<void> {
  const { apiKey, keySecret } = sandbox;
  expect(await written(cwd)).not.toContain(apiKey ?? keySecret);
  if (process.platform !== "win32") expect((await stat(join(cwd, "stackferry.yaml"))).mode & 0o777).toBe(0o600);
  expect(documentOf(await runCli(["doctor", "--json"], { cwd, env }))).toMatchObject({ exitCode: 0, warnings: [] });
}

const ask = (
  cwd: string,
  env: Record<string, string>,
  answers: readonly string[],
  ...args: string[]
): Promise<CliRun> => runCli(["init", ...args], { cwd, env, terminal: { columns: 80, answers } });

describe("init on a terminal", () => {
  it("asks for a self-hosted stack, asks again for what will not do, tries it and writes the file", async () => {
    await using sandbox = await startSandbox({ variant: "self-hosted", seed: "sample" });
    const cwd = temporaryFolder();
    const env = { OFFICE_KEY: sandbox.apiKey ?? "" };
    const wrong = ["an office", "", "selfhosted"];
    const answers = [...wrong, "self-hosted", "localhost", sandbox.url, sandbox.apiKey ?? "", "NO_SUCH", "OFFICE_KEY"];
    const run = await ask(cwd, env, answers);
    expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("backup production --to FOLDER") });
    expect(await written(cwd)).toContain(`apiKey: "\${env:OFFICE_KEY}"`);
    expect(run.stderr).toContain("NO_SUCH is not set");
    expect(run.stderr + run.stdout).not.toContain(sandbox.apiKey);
    await expectUsable(cwd, sandbox, env);
  });

  it("asks for a managed stack, its ids only where the address lacks them, and finds a key in a file", async () => {
    await using sandbox = await startSandbox({ variant: "managed", seed: "sample" });
    const { url, stack, organizationId = "", serviceId = "", keyId = "", keySecret = "" } = sandbox;
    const env = { CLOUD_ID: keyId };
    for (const address of [[stack], [url, organizationId, serviceId]]) {
      const cwd = temporaryFolder();
      await mkdir(join(cwd, "secrets"));
      await writeFile(join(cwd, "secrets", "key"), `${keySecret}\n`, { mode: 0o600 });
      const run = await ask(cwd, env, ["cloud", "managed", ...address, "env:CLOUD_ID", "file:secrets/key"]);
      expect(run).toMatchObject({ exitCode: 0 });
      expect(await written(cwd)).toContain(`keySecret: "\${file:secrets/key}"`);
      await expectUsable(cwd, sandbox, env);
    }
  });

  it("gives up on somebody who never answers, and asks nothing that flags say", async () => {
    const cwd = temporaryFolder();
    const run = await ask(cwd, {}, [], "--name", "a", "--variant", "managed");
    expect(run).toMatchObject({ exitCode: 2, stdout: "" });
    expect(run.stderr).not.toContain("Variant");
    expect(await readdir(cwd)).toEqual([]);
  });
});

describe("init on a real terminal", () => {
  it("ends at the first Ctrl-C, while it asks", async () => {
    // script gives the program a terminal, and passes on what is typed.
    const line = `"${process.execPath}" "${join(root, "bin/stackferry.js")}" init`;
    const terminal = spawn("script", ["--quiet", "--return", "--command", line, "/dev/null"], {
      cwd: temporaryFolder(),
    });
    const closed = once(terminal, "close");
    let shown = "";
    for await (const chunk of terminal.stdout) {
      const asksAlready = shown.includes("Name of the stack");
      shown += String(chunk);
      if (!asksAlready && shown.includes("Name of the stack")) terminal.stdin.write("\u0003");
    }
    expect(shown).toContain("interrupted by SIGINT");
    expect(await closed).toEqual([130, null]);
  });
});

describe("init --add", () => {
  it("adds a stack, and writes no new file", async () => {
    await using sandbox = await startSandbox({ variant: "self-hosted" });
    const cwd = temporaryFolder();
    const env = { KEY: sandbox.apiKey ?? "" };
    const flags = ["init", "--variant", "self-hosted", "--url", sandbox.url, "--api-key-from", "env:KEY"];
    const refused = await runCli([...flags, "--add"], { cwd, env });
    expect(refused).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("stackferry.yaml to add a stack to"),
    });
    expect(await runCli(flags, { cwd, env })).toMatchObject({
      exitCode: 0,
      stderr: expect.not.stringContaining("same"),
    });
    const second = documentOf(await runCli([...flags, "--add", "--name", "staging", "--json"], { cwd, env }));
    const message = expect.stringContaining("staging is the same stack as production");
    expect(second).toMatchObject({ exitCode: 0, warnings: [{ code: "same-stack", message }] });
    expect(await written(cwd)).toMatch(/production"?:[\s\S]*staging"?:/);
  });
});

describe("init without a terminal", () => {
  let sandbox: Sandbox | undefined;
  afterAll(() => sandbox?.close());

  it("takes flags, and says which is missing", async () => {
    await using sandbox = await startSandbox({ variant: "self-hosted" });
    const cwd = temporaryFolder();
    await mkdir(join(cwd, "etc"));
    const env = { KEY: sandbox.apiKey ?? "" };
    const flags = [
      "init",
      "--variant",
      "self-hosted",
      "--url",
      sandbox.url,
      "--out",
      "etc/stacks.yaml",
      "--name",
      "lab",
    ];
    const missing = await runCli(flags, { cwd, env });
    expect(missing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--api-key-from is missing") });
    const run = await runCli([...flags, "--api-key-from", "env:KEY", "--json"], { cwd, env });
    expect(documentOf(run)).toMatchObject({
      exitCode: 0,
      config: join(cwd, "etc/stacks.yaml"),
      stack: { label: "lab" },
    });
    const check = await runCli(["config", "check", "--config", "etc/stacks.yaml"], { cwd, env });
    expect(check.exitCode).toBe(0);
  });

  it("adds a second stack, and leaves what is there as it is", async () => {
    await using sandbox = await startSandbox({ variant: "self-hosted" });
    const cwd = temporaryFolder();
    // The variable that a sandbox prints is the one that is taken where none is named.
    const env = { STACKFERRY_API_KEY: sandbox.apiKey ?? "" };
    const before =
      "# ours\nstacks:\n  first: # the old one\n    variant: self-hosted\n    baseUrl: http://localhost:8000\n";
    await writeFile(join(cwd, "stackferry.yaml"), before, { mode: 0o640 });
    const flags = ["init", "--variant", "self-hosted", "--url", sandbox.url];
    expect((await runCli([...flags, "--name", "first"], { cwd, env })).exitCode).toBe(2);
    expect(await written(cwd)).toBe(before);
    expect((await runCli([...flags, "--name", "second"], { cwd, env })).exitCode).toBe(0);
    expect((await written(cwd)).startsWith(before)).toBe(true);
    expect((await stat(join(cwd, "stackferry.yaml"))).mode & 0o777).toBe(0o640);
    expect((await runCli(["doctor", "second"], { cwd, env })).exitCode).toBe(0);
  });

  it("overwrites nothing that is no configuration", async () => {
    const cwd = temporaryFolder();
    await writeFile(join(cwd, "stackferry.yaml"), "some: notes\n");
    expect((await runCli(["init"], { cwd })).exitCode).toBe(2);
    expect(await written(cwd)).toBe("some: notes\n");
  });

  it.each([
    ["a wrong key", 5, (url: string) => ["--url", url, "--api-key-from", "env:WRONG"]],
    ["a path too many", 6, (url: string) => ["--url", `${url}/api`, "--api-key-from", "env:KEY"]],
    ["an address with a password", 2, () => ["--url", "http://admin:hunter2@localhost:1", "--api-key-from", "env:KEY"]],
    ["plain http beyond this machine", 2, () => ["--url", "http://stack.example.com", "--api-key-from", "env:KEY"]],
    ["a key in place of its place", 2, (url: string) => ["--url", url, "--api-key-from", "0123456789abcdef"]],
    ["a variable that is not set", 2, (url: string) => ["--url", url, "--api-key-from", "env:NO_SUCH"]],
    ["a file that is not there", 2, (url: string) => ["--url", url, "--api-key-from", "file:nowhere"]],
    ["the address of a managed stack", 2, () => ["--url", "https://h/v1/organizations/o/services/s"]],
  ])("writes nothing with %s", async (_, exitCode, flags) => {
    sandbox ??= await startSandbox({ variant: "self-hosted" });
    const cwd = temporaryFolder();
    const env = { KEY: sandbox.apiKey ?? "", WRONG: "wrong-key-of-a-test" };
    const run = await runCli(["init", "--variant", "self-hosted", ...flags(sandbox.url)], { cwd, env });
    expect(run).toMatchObject({ exitCode, stdout: "" });
    expect(run.stderr).not.toMatch(/hunter2|0123456789abcdef|wrong-key/);
    expect(await readdir(cwd)).toEqual([]);
  });
});
