import { EventEmitter } from "node:events";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSandbox, type Sandbox } from "../support/start-sandbox.ts";
import { documentOf } from "../support/run-cli.ts";
import { programForOneStack, sandboxEnv } from "../support/program.ts";

let program: Awaited<ReturnType<typeof programForOneStack>>;
let cwd = "";
const CREATE = "--create saved-searches";

beforeAll(async () => {
  program = await programForOneStack({ variant: "self-hosted", seed: "sample" });
  ({ cwd } = program);
  expect((await program.run("export --from $STACK --out a.zip --quiet")).exitCode).toBe(0);
});

afterAll(() => program[Symbol.asyncDispose]());

/** Imports the archive onto a stack, on a terminal that gives these answers. */
function importOnto(to: Sandbox, flags: string, answers: readonly string[] = []) {
  const terminal = { columns: 80, answers };
  return program.run(`import a.zip --to ${to.stack} ${flags}`, { env: sandboxEnv(program.stack, to), terminal });
}

function posts(sandbox: Sandbox): number {
  return sandbox.stats().byRoute["POST dashboards"] ?? 0;
}

describe("on a terminal", () => {
  it.each<[string, number, string[]]>([
    ["an empty line", 1, [""]],
    ["a no", 1, ["n"]],
    ["a yes in capitals", 0, ["YES"]],
    // The next command, typed while the plan was made, is no answer.
    ["a command, a letter and a no", 1, ["ls -l", "y", "no"]],
    ["a command and a yes", 0, ["apply yes", "yes"]],
  ])("asks before writing, and after %s exits with %i", async (_, exitCode, answers) => {
    await using target = await startSandbox({ variant: "self-hosted", seed: "bare" });
    const run = await importOnto(target, CREATE, answers);
    expect(run.exitCode).toBe(exitCode);
    expect(run.stderr).toContain("Plan: ");
    expect(run.stderr).toMatch(
      /Make these \d+ changes on .*, another stack than the archive's \(http.*\)\? Only "yes" goes on\.$/m,
    );
    expect(run.stderr).toContain("\u001b[");
    expect(posts(target) > 0).toBe(exitCode === 0);
  });

  it("does not ask with --yes, nor when there is nothing to write", async () => {
    await using target = await startSandbox({ variant: "self-hosted", seed: "bare" });
    for (const flags of ["--yes", ""]) {
      const run = await importOnto(target, `${CREATE} --no-color ${flags}`);
      expect(run.exitCode).toBe(0);
      expect(run.stderr).not.toContain("Make these");
      expect(run.stdout).not.toContain("\u001b[");
    }
  });
});

describe("on a terminal of 60 columns", () => {
  const options = { terminal: { columns: 60 } };

  it("a list of backups cuts no name, no time and no remark", async () => {
    const run = await program.run("backup $STACK --to .", options);
    const [, stack = "", name = ""] = /([^ /]+)\/(\d{8}T\d{6}Z\.zip)/.exec(run.stdout) ?? [];
    await copyFile(join(cwd, stack, name), join(cwd, stack, "20990101T000000Z.zip"));
    for (const command of ["list .", "check ."]) {
      const { stdout } = await program.run(`${command} --no-color`, options);
      expect(stdout, command).not.toContain("…");
      expect(stdout, command).toMatch(/^ {2}\S/m);
    }
  });
});

describe("signals", () => {
  it("stop a run with 130, and a second signal ends it at once", async () => {
    await using target = await startSandbox({ variant: "self-hosted", seed: "bare" });
    const signals = new EventEmitter();
    const options = {
      env: sandboxEnv(program.stack, target),
      signals,
      onStderr: (text: string) => {
        if (!text.startsWith("importing")) return;
        signals.emit("signal", "SIGINT");
        signals.emit("signal", "SIGINT");
      },
    };
    const run = await program.run(`import a.zip --to ${target.stack} --json`, options);
    expect(run).toMatchObject({ exitCode: 130, endedAtOnce: 130 });
    expect(documentOf(run)).toMatchObject({ ok: false, exitCode: 130, error: { code: "interrupted" } });
    expect(run.stderr).toContain("SIGINT");
    expect(posts(target)).toBeLessThanOrEqual(4);
  });

  it("stop a run in order, and not at once, when its terminal is closed", async () => {
    await using target = await startSandbox({ variant: "self-hosted", seed: "bare" });
    const signals = new EventEmitter();
    const onStderr = (text: string): void => {
      if (!text.startsWith("importing")) return;
      for (let time = 0; time < 2; time += 1) signals.emit("signal", "SIGHUP");
    };
    const options = { env: sandboxEnv(program.stack, target), signals, onStderr };
    const run = await program.run(`import a.zip --to ${target.stack} --json`, options);
    expect(run).toMatchObject({ exitCode: 130, endedAtOnce: undefined });
    expect(documentOf(run)).toMatchObject({ error: { code: "interrupted" } });
  });

  it("end a sandbox with 0", async () => {
    const signals = new EventEmitter();
    const outputs: string[] = [];
    const onStdout = (text: string): void => {
      outputs.push(text);
      signals.emit("signal", "SIGTERM");
    };
    const run = await program.run("sandbox --variant managed --seed bare --json", { signals, onStdout });
    expect(run.exitCode).toBe(0);
    expect(outputs).toHaveLength(1);
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
  it("can start from an archive, and prints how to connect to it", async () => {
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
    const run = await program.run("sandbox --variant self-hosted --seed a.zip", { signals, onStdout });
    expect(run.exitCode).toBe(0);
    expect(run.stdout).toMatch(/export PRODUCTION_API_KEY=\S+\n +stackferry init --name production --url http/);
    expect(JSON.parse(names)).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ name: expect.any(String) })]),
    });
  });

  it("ends with 1 if the port is taken", async () => {
    const { port } = new URL(program.stack.url);
    const document = await program.json(`sandbox --variant self-hosted --port ${port}`);
    expect(document).toMatchObject({ ok: false, exitCode: 1, error: { code: "archive-io" } });
  });
});
