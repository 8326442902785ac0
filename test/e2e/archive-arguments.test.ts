import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../support/start-sandbox.ts";
import { callSandbox } from "../support/read-sandbox.ts";
import { changeOn } from "../support/on-stack.ts";
import { programForOneStack, sandboxEnv, programForTwoStacks } from "../support/program.ts";
import { journalsIn } from "../support/program-with-archive.ts";
import { dashboard, hexId, source, targetIds } from "../support/stack-records.ts";

const boards = (letter: "a" | "b", names: readonly string[]) => ({
  sources: [source(hexId(letter, 1), "Logs", hexId(letter, 3))],
  dashboards: names.map((name, index) => dashboard(hexId(letter, 16 + index), name, hexId(letter, 1))),
  webhooks: [],
});

/** Makes a stack's backups of two days in a configured repository. */
async function backedUp() {
  const program = await programForOneStack({ variant: "self-hosted", seed: boards("a", ["First"]) });
  const { stack, cwd, json } = program;
  await mkdir(join(cwd, "store"));
  const production = `  production:\n    variant: self-hosted\n    baseUrl: ${stack.url}\n    apiKey: ${stack.apiKey}\n`;
  const config = `stacks:\n${production}repositories:\n  offsite:\n    url: ${join(cwd, "store")}\n`;
  await writeFile(join(cwd, "stackferry.yaml"), config, { mode: 0o600 });
  const backup = (day: string) => json("backup production --to offsite", { now: () => Date.parse(`${day}T12:00:00Z`) });
  expect(await backup("2026-11-20")).toMatchObject({ ok: true });
  await callSandbox(stack, "POST", "dashboards", { name: "Second", tiles: [], tags: [] });
  expect(await backup("2026-11-21")).toMatchObject({ ok: true });
  return program;
}

describe("a backup given instead of an archive", () => {
  it("is inspected, verified, reported and compared, or refused with the reason", async () => {
    await using program = await backedUp();
    const { cwd, run, json } = program;
    for (const [name, dashboards, archive] of [
      ["offsite/production", 2, "20261121T120000Z"],
      ["store/production", 2, "20261121T120000Z"],
      [join(cwd, "store/production@latest"), 2, "20261121T120000Z"],
      ["offsite/production@2026-11-20", 1, "20261120T120000Z"],
      ["./store/production@20261120T120000Z", 1, "20261120T120000Z"],
    ] as const) {
      const inspected = await json(`inspect ${name}`);
      expect(inspected).toMatchObject({ ok: true, manifest: { kinds: { dashboards: { count: dashboards } } } });
      expect((inspected["archive"] as { path: string }).path).toBe(join(cwd, `store/production/${archive}.zip`));
      expect(await json(`verify ${name}`)).toMatchObject({ ok: true, exitCode: 0 });
    }
    expect((await run("report offsite/production --out page.html")).exitCode).toBe(0);
    expect(await readFile(join(cwd, "page.html"), "utf8")).toContain("Second");
    const between = await json("diff offsite/production@2026-11-20 offsite/production");
    expect(between).toMatchObject({ diff: { same: 2, changes: [{ change: "added", name: "Second" }] } });
    expect(await json("diff offsite/production production")).toMatchObject({ different: false });
    for (const [name, message] of [
      ["offsite/production@2026-11-19", "no backup of production from before"],
      ["offsite/staging", "no backup of staging"],
      ["'offsite/production@last week'", "the time of a backup is written"],
      ["nowhere/production", "there is no archive at"],
      ["store", "store"],
    ] as const) {
      const refused = await run(`inspect ${name}`);
      expect([2, 4]).toContain(refused.exitCode);
      expect(refused.stderr).toContain(message);
    }
  });

  it("is imported, with its journal in the working directory", async () => {
    await using program = await backedUp();
    await using to = await startSandbox({ variant: "self-hosted", seed: boards("b", []) });
    const { cwd, stack, json } = program;
    const env = sandboxEnv(stack, to);
    const line = `import offsite/production@2026-11-20 --to ${to.stack} --yes`;
    expect(await json(line, { env })).toMatchObject({ ok: true, counts: { create: 1 } });
    expect(journalsIn(cwd)).toHaveLength(1);
    expect(await json(line, { env })).toMatchObject({ ok: true, counts: { unchanged: 1 } });
  });
});

describe("a seeded stack", () => {
  it("is equal to its source under a prefix and its own tags, apart from its own records", async () => {
    const logs = source(targetIds.source, "Staging logs", hexId("b", 3), "other_logs");
    const own = { ...boards("b", ["Their own"]), sources: [logs] };
    await using stacks = await programForTwoStacks(
      { variant: "self-hosted", seed: boards("a", ["One", "Two"]) },
      { variant: "self-hosted", seed: own },
    );
    const { to, cwd, run, json } = stacks;
    await writeFile(join(cwd, "map.yaml"), "sources:\n  Logs: Staging logs\n");
    const transforms = { tags: { set: ["seeded"] } };
    const staging = { variant: "self-hosted", baseUrl: to.stack, apiKey: "${env:STACKFERRY_TO_API_KEY}", transforms };
    await writeFile(join(cwd, "stackferry.yaml"), JSON.stringify({ stacks: { staging } }));
    const labels = "--name-prefix '[staging] ' --map map.yaml";
    const seeded = await json(`migrate --from $FROM --to staging ${labels} --yes`);
    expect(seeded).toMatchObject({ ok: true, counts: { create: 2 } });
    const diff = "diff $FROM staging --kinds dashboards,alerts --exit-code";
    const same = { exitCode: 0, stdout: expect.stringContaining(": no difference; 2 records the same") };
    expect(await run(`${diff} ${labels}`)).toMatchObject(same);
    expect((await run(diff)).exitCode).toBe(10);
    await changeOn(to, "dashboards", { tags: ["seeded", "changed"] }, "[staging] One");
    const changed = await run(`${diff} ${labels} --markdown`);
    expect(changed.exitCode).toBe(10);
    expect(changed.stdout).toMatch(/^\*\*Comparison: 1 changed; 1 record the same\.\*\* /);
    expect(changed.stdout).toContain('- `~` changed dashboard "\\[staging\\] One"\n  - `+` tag "changed"\n');
    expect((await run(`${diff} ${labels} --include Two`)).exitCode).toBe(0);
  });

  it("is compared with its own archive as well: copies with their originals", async () => {
    await using program = await programForOneStack({ variant: "self-hosted", seed: boards("a", ["One", "Two"]) });
    const { run, json } = program;
    await run("export --from $STACK --out a.zip");
    const copied = await json("import a.zip --to $STACK --name-prefix 'copy of ' --yes");
    expect(copied).toMatchObject({ ok: true, counts: { create: 2 } });
    const diff = "diff a.zip $STACK --kinds dashboards --name-prefix 'copy of '";
    expect(await json(diff)).toMatchObject({ diff: { same: 2, changes: [] } });
    expect(await json(`${diff} --include One`)).toMatchObject({ diff: { same: 1, changes: [] } });
  });
});

it("--markdown gives the plan and the result as a comment, the counts first", async () => {
  await using stacks = await programForTwoStacks(
    { variant: "self-hosted", seed: boards("a", ["One | two"]) },
    { variant: "self-hosted", seed: boards("b", []) },
  );
  const line = "migrate --from $FROM --to $TO --markdown";
  const row = '- `+` create dashboard "One \\| two"\n';
  const plan = await stacks.run(`${line} --dry-run`);
  expect(plan.stdout).toMatch(/^\*\*Plan: 1 to create; 1 matched\.\*\* /);
  expect(plan.stdout).toContain(row);
  const done = await stacks.run(`${line} --yes`);
  expect(done.stdout).toMatch(/^\*\*Done: 1 created; 1 matched\.\*\* /);
  expect(done.stdout).toContain(row.replace("create", "created"));
});
