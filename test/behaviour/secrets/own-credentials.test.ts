import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { knownKind } from "../../../src/kinds/registry.ts";
import { normaliseStack, openStack } from "../../../src/library/options/connect.ts";
import { startSandbox } from "../../support/start-sandbox.ts";
import { recordsOn } from "../../support/on-stack.ts";
import { runCli, type CliRun } from "../../support/run-cli.ts";
import { startS3Server } from "../../support/s3-server.ts";
import { programForTwoStacks } from "../../support/program.ts";
import { outcomesOf } from "../../support/program-with-archive.ts";
import { dashboard, hexId } from "../../support/stack-records.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { archiveOf, importWith, MARK, resultOf, runbook, RUNBOOK, TEXT } from "./runbook.ts";

const KEY = "kEy0fTh1sRun+4711/x";
const PROXY_PASSWORD = "pr0xY-4711-Zq";
const BLOCKED = { action: "blocked", code: "secret-in-output" };
const FILES = { "stack/dashboards/board.yaml": "name: Board of ${value:team}\ntiles: []\n" };

/** Applies code files to a new stack, first as a dry run. The configuration has the value `team`. */
async function applyFiles(texts: Readonly<Record<string, string>>, more = "", env: Record<string, string> = {}) {
  await using stack = await startSandbox({ variant: "self-hosted", seed: "none", credentials: { apiKey: KEY } });
  const ours = { variant: "self-hosted", baseUrl: stack.url, apiKey: "${env:KEY}", values: { team: "${env:TEAM}" } };
  const cwd = temporaryFolder();
  const files = { "stackferry.yaml": JSON.stringify({ stacks: { ours } }), ...FILES, ...texts };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, name)), { recursive: true });
    await writeFile(join(cwd, name), text, { mode: 0o600 });
  }
  const run = (flags: string): Promise<CliRun> =>
    runCli(`apply stack --to ours --json${flags}`.split(" "), { cwd, env: { KEY, TEAM: "ops", ...env } });
  const runs = [await run(`${more} --dry-run`), await run(more)];
  return { runs, boards: await recordsOn(stack, "dashboards") };
}

afterEach(() => void vi.unstubAllEnvs());

it("a values file is text: nothing in it is filled in from variables or files", async () => {
  const texts = { "values.yaml": "team: ${env:KEY} ${file:stackferry.yaml} ${TEAM}\n" };
  const { boards } = await applyFiles(texts, " --values values.yaml");
  expect(boards).toMatchObject([{ name: "Board of ${env:KEY} ${file:stackferry.yaml} ${TEAM}" }]);
});

describe("a credential of the run is never sent in a record: the plan blocks the record", () => {
  const encoded = Buffer.from(`me:${KEY}`).toString("base64");
  it.each([
    ["a code file", { "stack/dashboards/board.yaml": `name: Board\ntiles: []\ntags: ["${KEY}"]\n` }, "", {}],
    ["a values file", { "values.yaml": `team: ${KEY}\n` }, " --values values.yaml", {}],
    ["a values file, in base64", { "values.yaml": `team: ${encoded}\n` }, " --values values.yaml", {}],
    ["a value of the configuration", {}, "", { TEAM: KEY }],
    [
      "a value, and is the password of the proxy",
      { "values.yaml": `team: ${PROXY_PASSWORD}\n` },
      " --values values.yaml",
      { https_proxy: `http://me:${PROXY_PASSWORD}@127.0.0.1:9` },
    ],
  ])("that came through %s", async (_, texts, more, env) => {
    const { runs, boards } = await applyFiles(texts, more, env);
    for (const run of runs) {
      expect([run.exitCode, outcomesOf(run)]).toMatchObject([3, [BLOCKED]]);
      expect(JSON.stringify(outcomesOf(run))).not.toMatch(/kEy0fTh1sRun|pr0xY-4711/);
    }
    expect(boards).toEqual([]);
  });

  it("nor added to every record by a flag", async () => {
    const { runs, boards } = await applyFiles({}, ` --name-prefix ${KEY}`);
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([2, 2]);
    expect(runs.map(({ stdout }) => stdout).join("")).not.toMatch(/kEy0fTh1sRun/);
    expect(boards).toEqual([]);
  });

  it("that came through the answers of a secrets file", async () => {
    const archive = archiveOf(runbook(`password ${MARK}`));
    const filled = await importWith(archive, { [RUNBOOK]: { [TEXT]: KEY } }, { credentials: [KEY] });
    expect(resultOf(filled)).toEqual(["blocked secret-in-output", 3, []]);
    const place = expect.stringMatching(/^\/tiles\/0\/config\/markdown (?!.*kEy)/);
    expect(filled.run.outcomes).toMatchObject([{ message: place }]);
  });

  it("that reaches the source of a migration, or the repository of a restore", async () => {
    await using s3 = await startS3Server();
    const stack = { variant: "self-hosted", seed: "none" } as const;
    const board = dashboard(hexId("a", 1), "Board", "", { tiles: [] });
    await using stacks = await programForTwoStacks(
      { ...stack, seed: { dashboards: [board] }, credentials: { apiKey: KEY } },
      { ...stack, credentials: { apiKey: "another-key" } },
    );
    const target = { variant: "self-hosted", baseUrl: stacks.to.url, apiKey: "another-key" };
    const rename = (to = ""): Promise<void> => {
      const ours = { ...target, transforms: { rename: [{ from: "Board", to: `Board ${to}` }] } };
      const text = JSON.stringify({ stacks: { target: ours } });
      return writeFile(join(stacks.cwd, "stackferry.yaml"), text, { mode: 0o600 });
    };
    const expectBlocked = async (command: string, variables = {}): Promise<void> => {
      const blocked = await stacks.run(`${command} --to target --json`, { env: variables });
      expect([blocked.exitCode, outcomesOf(blocked)]).toMatchObject([3, [BLOCKED]]);
    };
    await rename(KEY);
    await expectBlocked("migrate --from $FROM");

    const { env } = s3;
    await rename(env["AWS_SECRET_ACCESS_KEY"]);
    expect((await stacks.run(`backup $FROM --to s3://${s3.bucket}/r`, { env })).exitCode).toBe(0);
    const [, name = ""] = /r\/([^/]+)\/[^/]+\.zip/.exec(s3.requests.join("\n")) ?? [];
    const profiles = join(stacks.cwd, "profiles");
    const profile = `aws_access_key_id=${env["AWS_ACCESS_KEY_ID"]}\naws_secret_access_key=${env["AWS_SECRET_ACCESS_KEY"]}\n`;
    await writeFile(profiles, `[default]\n${profile}`);
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", profiles);
    await expectBlocked(`restore s3://${s3.bucket}/r/${name}`, env);
    await expectBlocked(`restore s3://${s3.bucket}/r/${name}`, { AWS_ENDPOINT_URL: s3.url, AWS_REGION: "us-east-1" });
    expect(await recordsOn(stacks.to, "dashboards")).toEqual([]);
  });
});

describe("a client of a stack", () => {
  it("sends no record with a credential of the run, and asks no question about one", async () => {
    await using stack = await startSandbox({ variant: "managed", seed: "none" });
    const { url: baseUrl, organizationId = "", serviceId = "", keyId = "", keySecret = "" } = stack;
    const options = { variant: "managed", baseUrl, organizationId, serviceId, keyId, keySecret } as const;
    const proxy = { http_proxy: "http://me:Passw%21rd-77@proxy.test:8080", https_proxy: "proxyuser:secret@proxy.test" };
    const settings = normaliseStack({ ...options, proxy }, "to");
    await using client = openStack(settings, { events: () => {}, credentials: ["of-the-repository"] });
    const dashboards = knownKind("dashboards");
    const basic = Buffer.from(`${keyId}:${keySecret}`).toString("base64");
    for (const text of [keySecret, `see ${basic}`, "of-the-repository", "Passw!rd-77", "proxyuser:secret"]) {
      const body = { name: "Board", tiles: [], note: { text } };
      const refused = { code: "secret-in-output", failure: { applied: "no" } };
      await expect(client.create(dashboards, body)).rejects.toMatchObject(refused);
      await expect(client.update(dashboards, hexId("a", 1), body)).rejects.toMatchObject(refused);
      await expect(client.validate(dashboards, body)).rejects.toMatchObject(refused);
    }
    expect(stack.stats().byRoute).toEqual({});
    const kept = { name: "Board of secret words", tiles: [] };
    expect(await client.create(dashboards, kept)).toMatchObject({ name: "Board of secret words" });
  });
});
