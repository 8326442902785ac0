import { EventEmitter } from "node:events";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { commandOutlines } from "../../src/cli/program/parse/outlines.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let source: Sandbox;
const cwd = temporaryFolder();
const CREATE = ["--create", "saved-searches"];

beforeAll(async () => {
  source = await startSandbox({ variant: "self-hosted", seed: "sample" });
  const args = ["export", "--from", source.stack, "--out", "a.zip", "--quiet"];
  expect((await runCli(args, { env: sandboxEnv(source), cwd })).exitCode).toBe(0);
});

afterAll(() => source.close());

function posts(sandbox: Sandbox): number {
  return sandbox.stats().byRoute["POST dashboards"] ?? 0;
}

describe("on a terminal", () => {
  it.each([
    ["", 1],
    ["n", 1],
    ["maybe", 1],
    ["y", 0],
    ["YES", 0],
  ])("asks before writing, and takes %j as exit %i", async (answer, exitCode) => {
    await using target = await startSandbox({ variant: "self-hosted", seed: "bare" });
    const options = { env: sandboxEnv(source, target), cwd, terminal: { columns: 80, answers: [answer] } };
    const run = await runCli(["import", "a.zip", "--to", target.stack, ...CREATE], options);
    expect(run.exitCode).toBe(exitCode);
    expect(run.stderr).toContain("Plan: ");
    expect(run.stderr).toContain("[y/N]");
    expect(run.stderr).toContain("\u001b[");
    expect(posts(target) > 0).toBe(exitCode === 0);
  });

  it("does not ask with --yes, nor when there is nothing to write", async () => {
    await using target = await startSandbox({ variant: "self-hosted", seed: "bare" });
    const options = { env: sandboxEnv(source, target), cwd, terminal: { columns: 80 } };
    const args = ["import", "a.zip", "--to", target.stack, ...CREATE, "--no-color"];
    const first = await runCli([...args, "--yes"], options);
    const second = await runCli(args, options);
    for (const run of [first, second]) {
      expect(run.exitCode).toBe(0);
      expect(run.stderr).not.toContain("[y/N]");
      expect(run.stdout).not.toContain("\u001b[");
    }
  });
});

describe("on a terminal of 60 columns", () => {
  const options = { env: {}, cwd, terminal: { columns: 60 } };

  it("a list of backups cuts no name, no time and no remark", async () => {
    const run = await runCli(["backup", source.stack, "--to", "."], { ...options, env: sandboxEnv(source) });
    const [, stack = "", name = ""] = /([^ /]+)\/(\d{8}T\d{6}Z\.zip)/.exec(run.stdout) ?? [];
    await copyFile(join(cwd, stack, name), join(cwd, stack, "20990101T000000Z.zip"));
    for (const command of [
      ["list", "."],
      ["check", "."],
    ]) {
      const { stdout } = await runCli([...command, "--no-color"], options);
      expect(stdout, command[0]).not.toContain("…");
      expect(stdout, command[0]).toMatch(/^ {2}\S/m);
    }
  });

  it("the help breaks no line of an example within a word", async () => {
    for (const { name } of commandOutlines) {
      const { stdout } = await runCli([name, "--help"], options);
      const [, examples = ""] = /Examples:\n(.*?)\n\n/s.exec(stdout) ?? [];
      const lines = examples.split("\n");
      expect(lines.filter((line) => line.length > 60)).toEqual([]);
      expect(lines.every((line) => /^ {2}(?:# |stackferry )|^ {6}\S/.test(line))).toBe(true);
    }
  });
});

describe("signals", () => {
  it("stop a run with 130, and a second one ends it at once", async () => {
    await using target = await startSandbox({ variant: "self-hosted", seed: "bare" });
    const signals = new EventEmitter();
    const options = {
      env: sandboxEnv(source, target),
      cwd,
      signals,
      onStderr: (text: string) => {
        if (!text.startsWith("importing")) return;
        signals.emit("signal", "SIGINT");
        signals.emit("signal", "SIGINT");
      },
    };
    const run = await runCli(["import", "a.zip", "--to", target.stack, "--json"], options);
    expect(run).toMatchObject({ exitCode: 130, endedAtOnce: 130 });
    expect(documentOf(run)).toMatchObject({ ok: false, exitCode: 130, error: { code: "interrupted" } });
    expect(run.stderr).toContain("SIGINT");
    expect(posts(target)).toBeLessThanOrEqual(4);
  });

  it("end a sandbox with 0", async () => {
    const signals = new EventEmitter();
    const seen: string[] = [];
    const onStdout = (text: string): void => {
      seen.push(text);
      signals.emit("signal", "SIGTERM");
    };
    const args = ["sandbox", "--variant", "managed", "--seed", "bare", "--json"];
    const run = await runCli(args, { signals, onStdout });
    expect(run.exitCode).toBe(0);
    expect(seen).toHaveLength(1);
    expect(documentOf(run)).toMatchObject({
      variant: "managed",
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      stack: expect.stringContaining("/v1/organizations/"),
      keyId: expect.any(String),
      keySecret: expect.any(String),
      webhooks: expect.arrayContaining([expect.objectContaining({ name: "oncall-slack" })]),
    });
  });
});

describe("the sandbox command", () => {
  it("begins with an archive, and says how to reach it", async () => {
    const signals = new EventEmitter();
    let names = "";
    const onStdout = (text: string): void => {
      const key = /PRODUCTION_API_KEY=(\S+)/.exec(text)?.[1] ?? "";
      const stack = /STACK +(\S+)/.exec(text)?.[1] ?? "";
      void fetch(`${stack}/api/v2/dashboards`, { headers: { authorization: `Bearer ${key}` } })
        .then((response) => response.text())
        .then((body) => (names = body))
        .finally(() => signals.emit("signal", "SIGINT"));
    };
    const run = await runCli(["sandbox", "--variant", "self-hosted", "--seed", "a.zip"], { cwd, signals, onStdout });
    expect(run.exitCode).toBe(0);
    expect(run.stdout).toMatch(
      /export PRODUCTION_API_KEY=\S+\n +stackferry init --name production --variant self-hosted --url http/,
    );
    expect(JSON.parse(names)).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ name: expect.any(String) })]),
    });
  });

  it("says so when the port is taken", async () => {
    const port = new URL(source.url).port;
    const run = await runCli(["sandbox", "--variant", "self-hosted", "--port", port, "--json"]);
    expect(run.exitCode).toBe(1);
    expect(documentOf(run)).toMatchObject({ ok: false, error: { code: "archive-io" } });
  });
});
