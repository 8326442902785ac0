import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";
import { callSandbox, changeTheOne } from "../support/small-bench.ts";
import { dashboard, hexId, source } from "../support/stack-records.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const boards = (letter: "a" | "b", names: readonly string[]) => ({
  sources: [source(hexId(letter, 1), "Logs", hexId(letter, 3))],
  dashboards: names.map((name, index) => dashboard(hexId(letter, 16 + index), name, hexId(letter, 1))),
  webhooks: [],
});

/** A stack with two backups, of two days, in a configured repository. */
async function backedUp() {
  const from = await startSandbox({ variant: "self-hosted", seed: boards("a", ["First"]) });
  const cwd = temporaryFolder();
  await mkdir(join(cwd, "store"));
  const config = `stacks:\n  production:\n    variant: self-hosted\n    baseUrl: ${from.url}\nrepositories:\n  offsite:\n    url: ${join(cwd, "store")}\n`;
  await writeFile(join(cwd, "stackferry.yaml"), config);
  const env = { ...sandboxEnv(from), STACKFERRY_PRODUCTION_API_KEY: from.apiKey ?? "" };
  const backup = (day: string) =>
    runCli(["backup", "production", "--to", "offsite", "--json"], {
      env,
      cwd,
      now: () => Date.parse(`${day}T12:00:00Z`),
    });
  expect(documentOf(await backup("2026-11-20"))).toMatchObject({ ok: true });
  await callSandbox(from, "POST", "dashboards", { name: "Second", tiles: [], tags: [] });
  expect(documentOf(await backup("2026-11-21"))).toMatchObject({ ok: true });
  return { from, cwd, env, [Symbol.asyncDispose]: () => from[Symbol.asyncDispose]() };
}

describe("a backup in the place of an archive", () => {
  it("is inspected, verified, drawn and compared, the newest or that of a time", async () => {
    await using stack = await backedUp();
    const { cwd, env } = stack;
    const run = (...args: string[]) => runCli(args, { env, cwd });
    for (const [name, dashboards, archive] of [
      ["offsite/production", 2, "20261121T120000Z"],
      ["store/production", 2, "20261121T120000Z"],
      [join(cwd, "store/production@latest"), 2, "20261121T120000Z"],
      ["offsite/production@2026-11-20", 1, "20261120T120000Z"],
      ["./store/production@20261120T120000Z", 1, "20261120T120000Z"],
    ] as const) {
      const inspected = documentOf(await run("inspect", name, "--json"));
      expect(inspected).toMatchObject({ ok: true, manifest: { kinds: { dashboards: { count: dashboards } } } });
      expect((inspected["archive"] as { path: string }).path).toBe(join(cwd, `store/production/${archive}.zip`));
      expect(documentOf(await run("verify", name, "--json"))).toMatchObject({ ok: true, exitCode: 0 });
    }
    expect((await run("report", "offsite/production", "--out", "page.html")).exitCode).toBe(0);
    expect(await readFile(join(cwd, "page.html"), "utf8")).toContain("Second");
    const between = documentOf(await run("diff", "offsite/production@2026-11-20", "offsite/production", "--json"));
    expect(between).toMatchObject({ diff: { same: 2, changes: [{ change: "added", name: "Second" }] } });
    expect(documentOf(await run("diff", "offsite/production", "production", "--json"))).toMatchObject({
      different: false,
    });
  });

  it("is imported, its journal kept where the command is run", async () => {
    await using stack = await backedUp();
    await using to = await startSandbox({ variant: "self-hosted", seed: boards("b", []) });
    const { cwd } = stack;
    const env = { ...stack.env, ...sandboxEnv(stack.from, to) };
    const words = ["import", "offsite/production@2026-11-20", "--to", to.stack, "--yes", "--json"];
    expect(documentOf(await runCli(words, { env, cwd }))).toMatchObject({ ok: true, counts: { create: 1 } });
    expect(await readdir(cwd)).toContainEqual(
      expect.stringMatching(/^stackferry-restore-production-20261120T120000Z.*journal/),
    );
    expect(documentOf(await runCli(words, { env, cwd }))).toMatchObject({ ok: true, counts: { unchanged: 1 } });
  });

  it("is refused with what is wrong: no such time, no such stack, a time that is none", async () => {
    await using stack = await backedUp();
    const { cwd, env } = stack;
    for (const [name, message] of [
      ["offsite/production@2026-11-19", "no backup of production from before"],
      ["offsite/staging", "no backup of staging"],
      ["offsite/production@last week", "the time of a backup is written"],
      ["nowhere/production", "there is no archive at"],
      ["store", "store"],
    ] as const) {
      const run = await runCli(["inspect", name], { env, cwd });
      expect([2, 4]).toContain(run.exitCode);
      expect(run.stderr).toContain(message);
    }
  });
});

describe("a seeded stack", () => {
  it("is equal to its source under --name-prefix and --tag, beside what it has of its own", async () => {
    await using from = await startSandbox({ variant: "self-hosted", seed: boards("a", ["One", "Two"]) });
    const logs = source(hexId("b", 1), "Staging logs", hexId("b", 3), "other_logs");
    const own = { ...boards("b", ["Their own"]), sources: [logs] };
    await using to = await startSandbox({ variant: "self-hosted", seed: own });
    const cwd = temporaryFolder();
    await writeFile(join(cwd, "map.yaml"), "sources:\n  Logs: Staging logs\n");
    const env = sandboxEnv(from, to);
    const labels = ["--name-prefix", "[staging] ", "--tag", "seeded", "--map", "map.yaml"];
    const seed = ["migrate", "--from", from.stack, "--to", to.stack, ...labels, "--yes", "--json"];
    expect(documentOf(await runCli(seed, { env, cwd }))).toMatchObject({ ok: true, counts: { create: 2 } });
    const diff = ["diff", from.stack, to.stack, "--kinds", "dashboards,alerts", "--exit-code"];
    const equal = await runCli([...diff, ...labels], { env, cwd });
    expect(equal).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("No difference: 2 records the same."),
    });
    expect((await runCli(diff, { env, cwd })).exitCode).toBe(10);
    await changeTheOne(to, "dashboards", "[staging] One", { tags: ["seeded", "changed"] });
    const changed = await runCli([...diff, ...labels, "--markdown"], { env, cwd });
    expect(changed.exitCode).toBe(10);
    expect(changed.stdout).toMatch(/^\*\*0 added, 0 removed, 1 changed, 1 the same\.\*\* /);
    expect(changed.stdout).toContain('- `~` dashboard "\\[staging\\] One"\n  - `+` tags.1: added: "changed"\n');
    expect((await runCli([...diff, ...labels, "--include", "Two"], { env, cwd })).exitCode).toBe(0);
  });

  it("is compared with the archive of its own stack, too: copies with what they were copied from", async () => {
    await using stack = await startSandbox({ variant: "self-hosted", seed: boards("a", ["One", "Two"]) });
    const env = sandboxEnv(stack);
    const { cwd } = await runCli(["export", "--from", stack.stack, "--out", "a.zip"], { env });
    const labels = ["--name-prefix", "copy of "];
    const copy = ["import", "a.zip", "--to", stack.stack, ...labels, "--yes", "--json"];
    expect(documentOf(await runCli(copy, { env, cwd }))).toMatchObject({ ok: true, counts: { create: 2 } });
    const diff = ["diff", "a.zip", stack.stack, "--kinds", "dashboards", ...labels, "--json"];
    expect(documentOf(await runCli(diff, { env, cwd }))).toMatchObject({ diff: { same: 2, changes: [] } });
    expect(documentOf(await runCli([...diff, "--include", "One"], { env, cwd }))).toMatchObject({
      diff: { same: 1, changes: [] },
    });
  });
});

it("--markdown gives the plan and the result as a comment, the counts first", async () => {
  await using from = await startSandbox({ variant: "self-hosted", seed: boards("a", ["One | two"]) });
  await using to = await startSandbox({ variant: "self-hosted", seed: boards("b", []) });
  const env = sandboxEnv(from, to);
  const words = ["migrate", "--from", from.stack, "--to", to.stack, "--markdown"];
  const row = "| create | dashboard | One \\| two |  |\n";
  const plan = await runCli([...words, "--dry-run"], { env });
  expect(plan.stdout).toMatch(/^\*\*Plan: 1 to create, 0 to update, 0 unchanged, 1 matched, 0 blocked\.\*\* /);
  expect(plan.stdout).toContain(row);
  const done = await runCli([...words, "--yes"], { env });
  expect(done.stdout).toMatch(/^\*\*Done: 1 created\. 1 matched with records of the target\.\*\* Onto /);
  expect(done.stdout).toContain(row.replace("create", "created"));
});
