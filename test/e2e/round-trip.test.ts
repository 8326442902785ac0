import { readFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import type { CliRun } from "../support/run-cli.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";

let source: Sandbox;
let target: Sandbox;
let env: Record<string, string>;
let cwd: string;
let archive: string;
/** Of what the sample's alerts are on, an import creates dashboards in any case, and saved searches on request. */
const CREATE = ["--create", "saved-searches"];

/** Runs with the credentials of both sandboxes in the folder of the first run. */
async function run(...args: string[]): Promise<CliRun> {
  return runCli(args, { env, cwd });
}

function writes(sandbox: Sandbox): number {
  const routes = Object.entries(sandbox.stats().byRoute);
  return routes.reduce((sum, [route, count]) => sum + (/^(POST|PUT|DELETE) (?!.*validate)/.test(route) ? count : 0), 0);
}

beforeAll(async () => {
  source = await startSandbox({ variant: "self-hosted", seed: "sample" });
  target = await startSandbox({ variant: "self-hosted", seed: "bare" });
  env = sandboxEnv(source, target);
  const exported = await runCli(["export", "--from", source.stack, "--json"], { env, now: () => 1_795_236_761_000 });
  cwd = exported.cwd;
  const document = documentOf(exported);
  expect(document).toMatchObject({
    command: "export",
    ok: true,
    exitCode: 0,
    startedAt: "2026-11-21T04:52:41.000Z",
    from: { variant: "self-hosted", baseUrl: source.url },
    archive: {
      formatVersion: 1,
      contentDigest: expect.stringMatching(/^(sha256:)?[0-9a-f]{64}$/),
      bytes: expect.any(Number),
    },
    counts: { export: expect.any(Number) },
    requests: { total: 11, retried: 0, rateLimited: 0, waitedMs: 0 },
    kinds: { dashboards: { status: "complete" }, alerts: { status: "complete", count: 14 } },
  });
  archive = (await readdir(cwd)).join();
});

afterAll(async () => {
  await source.close();
  await target.close();
});

describe("export → inspect → verify → import", () => {
  it("names the archive after stack and time, for its owner only", async () => {
    expect(archive).toBe(`stackferry-127.0.0.1-${new URL(source.url).port}-20261121T045241Z.zip`);
    expect((await stat(join(cwd, archive))).mode & 0o777).toBe(0o600);
  });

  it("keeps credentials and secrets out of archive and output", async () => {
    const bytes = await readFile(join(cwd, archive));
    for (const secret of [source.apiKey ?? "", "not-a-real-token", "not-a-real-key"]) {
      expect(secret).not.toBe("");
      expect(bytes.includes(secret)).toBe(false);
    }
  });

  it("inspects", async () => {
    const text = await run("inspect", archive);
    expect(text).toMatchObject({ exitCode: 0, stderr: "" });
    expect(text.stdout).toContain("dashboards");
    const document = documentOf(await run("inspect", archive, "--json"));
    expect(document).toMatchObject({
      ok: true,
      archive: { formatVersion: 1 },
      manifest: { format: "stackferry-archive" },
    });
  });

  it("verifies", async () => {
    const document = documentOf(await run("verify", archive, "--json"));
    expect(document).toMatchObject({ ok: true, exitCode: 0, problems: [], dangling: [] });
    expect((await run("verify", archive)).exitCode).toBe(0);
  });

  it("plans without writing: 10 with --exit-code when something would be written", async () => {
    const plain = await run("import", archive, "--to", target.stack, ...CREATE, "--dry-run");
    expect(plain.exitCode).toBe(0);
    expect(plain.stdout).toMatch(/Plan: \d+ to create, 0 to update, 0 unchanged, .*0 blocked\.\n$/);
    const coded = await run("import", archive, "--to", target.stack, ...CREATE, "--dry-run", "--exit-code", "--json");
    expect(coded.exitCode).toBe(10);
    const document = documentOf(coded);
    expect(document).toMatchObject({
      ok: true,
      exitCode: 10,
      dryRun: true,
      to: { baseUrl: target.url },
      unresolved: [],
    });
    expect(document["outcomes"]).toContainEqual(expect.objectContaining({ action: "create", status: "planned" }));
    expect(writes(target)).toBe(0);
  });

  it("imports, and again with nothing left to write", async () => {
    const first = documentOf(await run("import", archive, "--to", target.stack, ...CREATE, "--json"));
    expect(first).toMatchObject({ ok: true, exitCode: 0, warnings: [] });
    const outcomes = first["outcomes"];
    expect(outcomes).not.toContainEqual(expect.objectContaining({ status: "failed" }));
    const before = writes(target);
    const again = documentOf(await run("import", archive, "--to", target.stack, ...CREATE, "--json"));
    expect(again).toMatchObject({ ok: true, exitCode: 0 });
    expect(again["counts"]).not.toHaveProperty("create");
    expect(writes(target)).toBe(before);
    expect((await run("import", archive, "--to", target.stack, ...CREATE, "--dry-run", "--exit-code")).exitCode).toBe(
      0,
    );
  });

  it("imports a selection under another name", async () => {
    const args = ["--kinds", "dashboards", "--name-prefix", "Copy of ", "--tag", "copied", "--json"];
    const document = documentOf(await run("import", archive, "--to", target.stack, ...args));
    expect(document).toMatchObject({ ok: true, exitCode: 0 });
    const lists = await fetch(`${target.url}/api/v2/dashboards`, {
      headers: { authorization: `Bearer ${target.apiKey ?? ""}` },
    });
    const names = JSON.stringify(await lists.json());
    expect(names).toContain('"name":"Copy of ');
    expect(names).toContain('"copied"');
  });

  it("exports only what is asked for, into a folder", async () => {
    const done = await run(
      "export",
      "--from",
      source.stack,
      "--format",
      "folder",
      "--out",
      "tree",
      "--kinds",
      "dashboards",
      "--quiet",
    );
    expect(done).toMatchObject({ exitCode: 0, stderr: "" });
    expect((await readdir(join(cwd, "tree"))).sort()).toEqual(["dashboards", "manifest.json"]);
    expect((await run("verify", "tree", "--quiet")).exitCode).toBe(0);
  });

  it("shows every request when asked, and never the key", async () => {
    const { stderr } = await run("export", "--from", source.stack, "--out", "verbose.zip", "--verbose");
    expect(stderr).toMatch(/GET \/api\/v2\/dashboards\S* 200 \d+ ms/);
    expect(stderr).not.toContain(source.apiKey ?? "-");
  });
});
