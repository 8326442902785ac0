import { generateKeyPairSync } from "node:crypto";
import { mkdir, readdir, writeFile, chmod } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { callSandbox } from "../support/read-sandbox.ts";
import { recordOn, recordsOn } from "../support/on-stack.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import {
  programAfterImport,
  programWithArchive,
  warningCodes,
  watchWrites,
  type ProgramWithArchive,
} from "../support/program-with-archive.ts";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { startListener } from "../support/listener.ts";
import { certificatePath } from "../support/fake-server.ts";
import { startSandbox } from "../support/start-sandbox.ts";
import { sandboxEnv } from "../support/program.ts";

/**
 * Creates a program with a backup of its source in the repository `repo`, and returns the archive's path and the stack's folder
 * in it.
 */
async function benchWithBackup() {
  const program = await programWithArchive();
  await mkdir(join(program.cwd, "repo"));
  expect((await program.run(["backup", program.from.stack, "--to", "repo"])).exitCode).toBe(0);
  const files = await readdir(join(program.cwd, "repo"), { recursive: true });
  const archive = files.find((name) => name.endsWith(".zip")) ?? "";
  return Object.assign(program, { archive, folder: archive.split("/")[0] ?? "" });
}
const contains = (text: string): string => expect.stringContaining(text) as string;

describe("a line that means something else than it says", () => {
  it("the folder of one stack, where a command needs the repository, is refused with the right command", async () => {
    await using program = await benchWithBackup();
    for (const [line, hint] of [
      ["list repo/STACK", "the repository is repo, and the stack in it STACK"],
      ["prune repo/STACK --keep-last 1 --yes", "the repository is repo"],
      ["check repo/STACK", "the repository is repo"],
      [`backup ${program.from.stack} --to repo/STACK`, "the repository is repo"],
    ] as const) {
      const run = documentOf(await program.run(line.replace("STACK", program.folder).split(" ")));
      const error = { code: "usage", hint: contains(hint.replace("STACK", program.folder)) };
      expect(run, line).toMatchObject({ exitCode: 2, error });
    }
    expect(await readdir(join(program.cwd, "repo", program.folder))).toHaveLength(3);
  });

  it("rules that keep nothing are refused, whatever the configuration keeps", async () => {
    await using program = await programWithArchive();
    await mkdir(join(program.cwd, "repo"));
    await writeFile(
      join(program.cwd, "stackferry.yaml"),
      "stacks: {}\nrepositories: { named: { url: repo, keep: { last: 1 } } }\n",
    );
    expect((await program.run(["backup", program.from.stack, "--to", "named"])).exitCode).toBe(0);
    const run = await program.run(["prune", "named", "--keep-daily", "0", "--yes"]);
    expect(documentOf(run)).toMatchObject({ exitCode: 2, error: { code: "usage" } });
    expect((await program.run(["prune", "named", "--yes"])).exitCode).toBe(0);
  });

  it("a misspelt kind is told before --yes is missed", async () => {
    const run = await runCli(["import", "a.zip", "--to", "b", "--kinds", "dashbords"], { exactly: true });
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining('unknown kind "dashbords"')]);
  });

  it("a prune without rules is not told to add --yes", async () => {
    const run = await runCli(["prune", "repo"], { exactly: true });
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining("no rule tells which backups to keep")]);
  });

  it("short forms are those of the long flags", async () => {
    const [short, long] = [await runCli(["prune", "-h"]), await runCli(["prune", "--help"])];
    expect(short).toMatchObject({ exitCode: 0, stdout: long.stdout });
    expect(await runCli(["-v"])).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
    await using program = await programWithArchive();
    const args = ["migrate", "--from", program.from.stack, "--to", program.to.stack];
    const run = await program.run([...args, "-y", "-q", "-v"]);
    expect(run.exitCode).toBe(0);
    expect(run.stderr).not.toContain("GET ");
    expect((await runCli(["prune", "x", "-z"])).exitCode).toBe(2);
  });
});

describe("what is said of a backup that cannot be taken", () => {
  it.each<[string, (program: Awaited<ReturnType<typeof benchWithBackup>>) => Promise<string[]>]>([
    [
      "a damaged one",
      async ({ cwd, archive }) => {
        await writeFile(join(cwd, "repo", archive), "damaged");
        return [];
      },
    ],
    [
      "one with another signature",
      async ({ cwd }) => {
        const { publicKey } = generateKeyPairSync("ed25519");
        await writeFile(join(cwd, "key.pem"), publicKey.export({ type: "spki", format: "pem" }));
        return ["--signer", "key.pem"];
      },
    ],
  ])("does not offer to restore %s as a suspect backup", async (_, spoil) => {
    await using program = await benchWithBackup();
    const more = await spoil(program);
    const words = ["restore", `repo/${program.folder}`, "--to", program.to.stack, ...more];
    const hint = expect.not.stringContaining("suspect") as string;
    expect(documentOf(await program.run(words))).toMatchObject({
      exitCode: 4,
      error: { code: "archive-damaged", hint },
    });
  });
});

it("a rollback with another address of the stack is refused, and told that the address must be the same", async () => {
  await using program = await programAfterImport();
  const other = program.to.stack.replace("127.0.0.1", "localhost");
  const run = documentOf(await program.run(["rollback", "--run", "1", "--to", other]));
  const hint = contains("127.0.0.1 and localhost count as different stacks");
  expect(run).toMatchObject({ exitCode: 2, error: { code: "usage", hint } });
});

it("a misspelt member of a file is named in the place of the one that is missing for it", async () => {
  await using program = await programWithArchive();
  await mkdir(join(program.cwd, "code", "alerts"), { recursive: true });
  const lines = ["dashboard: One", "tile: a", "intervall: 1m", "threshold: 1", "thresholdType: above"];
  await writeFile(join(program.cwd, "code", "alerts", "a.yaml"), `${lines.join("\n")}\n`);
  const run = documentOf(await program.run(["apply", "code", "--to", program.to.stack]));
  const { error } = run as { error: { message: string; faults?: string[] } };
  const messages = [error.message, ...(error.faults ?? [])].join("\n");
  expect(run["exitCode"]).toBe(2);
  expect(messages).toContain('a.yaml:3:1: there is no member "intervall": did you mean "interval"?');
  expect(messages).not.toMatch(/\binterval: /);
});

it("a link that leads nowhere is no news to a backup with --quiet, and is told by the others", async () => {
  await using program = await programWithArchive();
  await mkdir(join(program.cwd, "repo"));
  // "One" links to this dashboard.
  const { id: dead } = await recordOn(program.from, "dashboards", "Two");
  await callSandbox(program.from, "DELETE", `dashboards/${dead}`);
  const args = ["backup", program.from.stack, "--to", "repo"];
  const backup = (...more: string[]) => runCli([...args, ...more], { cwd: program.cwd, env: program.env });
  expect((await backup()).stderr).toContain(dead);
  expect(await backup("--quiet")).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  expect(warningCodes(await backup("--quiet", "--json"))).toContain("dead-reference");
});

async function backUp({ from, cwd, env }: ProgramWithArchive, at = "2026-11-20T00:00:00Z"): Promise<void> {
  const production = { variant: "self-hosted", baseUrl: from.url, apiKey: "${env:PRODUCTION_KEY}" };
  await writeFile(join(cwd, "stackferry.yaml"), JSON.stringify({ stacks: { production } }));
  await mkdir(join(cwd, "backups"), { recursive: true });
  const options = { env: { ...env, PRODUCTION_KEY: from.apiKey ?? "" }, cwd, now: () => Date.parse(at) };
  const run = await runCli(["backup", "production", "--to", "backups"], options);
  expect(run.exitCode, run.stderr).toBe(0);
}

it("without a terminal and without --yes, a command that writes sends no request at all, and exits 2", async () => {
  await using stage = await programWithArchive();
  const { from, to, cwd, env } = stage;
  await stage.writeFiles();
  await backUp(stage);
  expect((await stage.import()).exitCode).toBe(0);
  await stage.rollback();
  const before = await recordsOn(to, "dashboards");
  let requests = 0;
  stage.watch = (_, proceed) => {
    requests += 1;
    return proceed();
  };
  for (const line of [
    "import a.zip --to TO",
    "apply files --to TO",
    "apply a.zip --to TO",
    "migrate --from FROM --to TO",
    "migrate --from FROM --to TO --mirror",
    "restore backups/production --to TO",
    "rollback --run 1 --to TO",
  ]) {
    requests = 0;
    const args = line.split(" ").map((word) => ({ FROM: from.stack, TO: to.stack })[word] ?? word);
    const run = documentOf(await runCli([...args, "--json"], { env, cwd, exactly: true }));
    expect(run, line).toMatchObject({ exitCode: 2, error: { code: "usage", hint: contains("--yes") } });
    expect(requests, line).toBe(0);
    const plan = await runCli([...args, "--dry-run", "--json"], { env, cwd, exactly: true });
    expect(documentOf(plan), line).toMatchObject({ dryRun: true });
  }
  expect(await recordsOn(to, "dashboards")).toEqual(before);
});

it("a run without --yes with only one stream on a terminal sends no request", async () => {
  await using stage = await programWithArchive();
  const writes = watchWrites(stage);
  const { env, cwd, to } = stage;
  const args = ["import", "a.zip", "--to", to.stack];
  const piped = await runCli(args, { env, cwd, terminal: { columns: 80, answers: ["yes"], stdin: false } });
  expect(piped.exitCode).toBe(2);
  expect(writes).toEqual([]);
});

it("prune without a terminal and without --yes removes no backup", async () => {
  await using stage = await programWithArchive();
  const { env, cwd } = stage;
  const run = (...words: string[]) => runCli([...words, "--json"], { env, cwd, exactly: true });
  for (const at of ["2026-11-20T00:00:00Z", "2026-11-21T00:00:00Z"]) {
    await backUp(stage, at);
  }
  const files = async () =>
    (await readdir(join(cwd, "backups"), { recursive: true })).filter((f) => f.endsWith(".zip"));
  expect(await files()).toHaveLength(2);
  expect((await run("prune", "backups", "--keep-last", "1")).exitCode).toBe(2);
  expect(await files()).toHaveLength(2);
  expect((await run("prune", "backups", "--keep-last", "1", "--yes")).exitCode).toBe(0);
  expect(await files()).toHaveLength(1);
});

const programPath = fileURLToPath(new URL("../../bin/stackferry.js", import.meta.url));

it("an output that is full is reported in a sentence, and the program exits with 1", async () => {
  await using program = await programWithArchive();
  for (const line of ["inspect a.zip", "inspect a.zip --json"]) {
    const command = `"${process.execPath}" "${programPath}" ${line} > /dev/full`;
    const end = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
      execFile("sh", ["-c", command], { cwd: program.cwd }, (error, _stdout, stderr) =>
        resolve({ code: error?.code, stderr }),
      );
    });
    expect(end, line).toEqual({ code: 1, stderr: contains("ENOSPC") });
    expect(end.stderr, line).not.toMatch(/^\s+at /m);
  }
});

it("a configuration that others may write is warned of", async () => {
  await using program = await programWithArchive();
  const path = join(program.cwd, "stackferry.yaml");
  await writeFile(path, "stacks: {}\n");
  const warnedAt = async (mode: number): Promise<boolean> => {
    await chmod(path, mode);
    return warningCodes(await program.run(["doctor", program.from.stack])).includes("open-permissions");
  };
  expect([await warnedAt(0o666), await warnedAt(0o644)]).toEqual([true, false]);
});

const env = {
  NODE_TLS_REJECT_UNAUTHORIZED: "0",
  STACKFERRY_API_KEY: "canary-key-0123456789",
  AWS_ACCESS_KEY_ID: "AKIAEXAMPLE",
  AWS_SECRET_ACCESS_KEY: "example",
  AWS_REGION: "us-east-1",
};

describe("NODE_TLS_REJECT_UNAUTHORIZED=0", () => {
  it.each([
    ["a stack", (url: string) => ["doctor", url, "--timeout", "2s"]],
    ["a service that is pinged", (url: string) => ["completion", "bash", "--notify", url]],
    ["a collector", (url: string) => ["completion", "bash", "--otlp", url]],
    ["an object store", (url: string) => ["list", "s3://backups/x", "--endpoint", url]],
  ])("does not switch the check of the certificate of %s off", async (_, line) => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    await using server = await startListener(200, { tls: true });
    const [args, endpoint] = splitEndpoint(line(server.url));
    await runCli(args, { env: { ...env, ...endpoint } });
    expect(server.heard).toEqual([]);
  });

  it("is not needed where the authority is named", async () => {
    await using server = await startListener(200, { tls: true });
    const args = ["doctor", server.url, "--timeout", "2s", "--ca", fileURLToPath(certificatePath)];
    await runCli(args, { env });
    expect(server.heard.length).toBeGreaterThan(0);
  });
});

describe("a credential over plain http", () => {
  it.each(["http://a.localhost:1", "http://localhost.:1"])(
    "is not sent to %s, which is not this machine",
    async (url) => {
      const run = documentOf(await runCli(["export", "--from", url, "--timeout", "1s", "--json"], { env }));
      expect(run).toMatchObject({ exitCode: 2, error: { code: "config" }, requests: { total: 0 } });
    },
  );
});

/**
 * Turns `--endpoint URL` at the end into the environment variable that sets an object store's endpoint; there is no such
 * flag.
 */
function splitEndpoint(words: readonly string[]): readonly [readonly string[], Readonly<Record<string, string>>] {
  const at = words.indexOf("--endpoint");
  if (at < 0) return [words, {}];
  return [words.slice(0, at), { AWS_ENDPOINT_URL: words[at + 1] ?? "" }];
}

const NAMES = ["::add-mask::production", "x ##[add-mask]production", "##vso[task.setvariable variable=a]b"];

/** Returns the lines that a CI runner would take for commands. */
function commandsIn(text: string): readonly string[] {
  return text.split("\n").filter((line) => /##\w*\[/.test(line) || line.trimStart().startsWith("::"));
}

describe("names that are commands to the runner of a workflow", () => {
  it("are shown escaped by every command, and stay what they are", async () => {
    await using stack = await startSandbox({ variant: "self-hosted", seed: "bare" });
    await using other = await startSandbox({ variant: "self-hosted", seed: "bare" });
    for (const name of NAMES) await callSandbox(stack, "POST", "dashboards", { name, tiles: [] });
    const env = sandboxEnv(stack, other);
    const first = await runCli(["export", "--from", stack.stack, "--out", "a.zip", "--json"], { env });
    const { cwd } = first;
    for (const args of [
      ["inspect", "a.zip", "--verbose"],
      ["inspect", "a.zip", "--json"],
      ["report", "a.zip"],
      ["import", "a.zip", "--to", other.stack, "--dry-run", "--verbose"],
      ["import", "a.zip", "--to", other.stack, "--dry-run", "--json"],
      ["diff", "a.zip", other.stack],
      ["diff", "a.zip", other.stack, "--json"],
    ]) {
      const run = await runCli(args, { cwd, env });
      expect(run.stdout, args.join(" ")).toContain("add-mask");
      expect(commandsIn(run.stdout + run.stderr), args.join(" ")).toEqual([]);
    }
    const diff = documentOf(await runCli(["diff", "a.zip", other.stack, "--json"], { cwd, env }));
    for (const name of NAMES) expect(JSON.stringify(diff)).toContain(name);
  });
});
