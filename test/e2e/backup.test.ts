import { chmod, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox, type Sandbox } from "../support/start-sandbox.ts";
import { recordsOn } from "../support/on-stack.ts";
import { callSandbox } from "../support/read-sandbox.ts";
import { filesBelow } from "../support/archive-samples.ts";
import { hoursLater, programWithBackups, oneDashboardStack } from "../support/program-with-backups.ts";
import { sandboxEnv } from "../support/program.ts";

import { dashboard, source, tileWith } from "../support/stack-records.ts";

/** Creates a dashboard, so that the stack's content differs from the last backup. */
const addDashboard = (stack: Sandbox) => callSandbox(stack, "POST", "dashboards", { name: "New", tiles: [], tags: [] });

describe("backup", () => {
  it("stores one archive per run, and none if the stack is unchanged", async () => {
    await using stack = await oneDashboardStack();
    const { repository, json } = await programWithBackups({ production: stack });
    expect(await json("backup production --to place --if-changed", hoursLater(0))).toMatchObject({
      exitCode: 0,
      stacks: [{ stack: "production", result: "stored", archive: "production/20261121T041500Z.zip" }],
    });
    const before = await filesBelow(repository);
    const again = await json("backup production --to place --if-changed", hoursLater(30));
    expect(again).toMatchObject({ exitCode: 0, stacks: [{ result: "unchanged", bytes: 0 }] });
    const after = await filesBelow(repository);
    expect(after).toEqual({ ...before, "production/20261122T101500Z.unchanged": "" });
    expect(await json("check place --max-age 26h", hoursLater(31))).toMatchObject({ exitCode: 0 });
    expect(await json("check place --max-age 26h", hoursLater(57))).toMatchObject({
      exitCode: 3,
      stacks: [{ tooOld: true }],
    });
    await addDashboard(stack);
    expect(await json("backup production --to place --if-changed", hoursLater(60))).toMatchObject({
      stacks: [{ result: "stored", archive: "production/20261123T161500Z.zip" }],
    });
  });

  it("prunes in the same run and gives the reason for each backup that stays", async () => {
    await using stack = await oneDashboardStack();
    const { repository, run, json } = await programWithBackups({ production: stack });
    for (let day = 0; day < 3; day += 1) {
      await json("backup production --to place --keep-last 2 --keep-weekly 1", hoursLater(day * 24));
      await addDashboard(stack);
      await writeFile(join(repository, "production", "notes.txt"), "somebody's");
    }
    const archives = (await readdir(join(repository, "production"))).filter((name) => name.endsWith(".zip"));
    expect(archives).toEqual(["20261122T041500Z.zip", "20261123T041500Z.zip"]);
    expect(await readdir(join(repository, "production"))).toContain("notes.txt");
    const dry = await json("prune place --keep-last 1 --dry-run", hoursLater(100));
    const text = await run("prune place --keep-last 1 --dry-run", hoursLater(100));
    expect(text.stdout).toMatch(/ keep +last\n.* remove\n1 would be removed \(.*\), 1 kept\. /);
    expect(dry).toMatchObject({
      dryRun: true,
      archives: [
        { name: "production/20261123T041500Z.zip", action: "keep", reasons: ["last"] },
        { name: "production/20261122T041500Z.zip", action: "remove", reasons: [] },
      ],
    });
    expect(await readdir(join(repository, "production"))).toHaveLength(6);
    expect(await json("prune place --keep-last 1 --yes", hoursLater(100))).toMatchObject({ exitCode: 0 });
    expect((await readdir(join(repository, "production"))).filter((name) => name.endsWith(".zip"))).toEqual([
      "20261123T041500Z.zip",
    ]);
  });

  it("refuses a missing repository, and leaves no file in a read-only one", async () => {
    await using stack = await oneDashboardStack();
    const { repository, run } = await programWithBackups({ production: stack });
    await run("backup production --to place", hoursLater(0));
    const before = await filesBelow(repository);
    expect((await run("backup production --to not-mounted", hoursLater(1))).exitCode).toBe(2);
    // On Linux, not even root can create a folder in /sys.
    if (process.platform === "linux")
      expect((await run("backup production --to /sys", hoursLater(1))).exitCode).toBe(1);
    expect(await filesBelow(repository)).toEqual(before);
    if (process.getuid?.() === 0) return;
    await chmod(join(repository, "production"), 0o500);
    expect((await run("backup production --to place", hoursLater(1))).exitCode).toBe(1);
    await chmod(join(repository, "production"), 0o700);
    expect(await filesBelow(repository)).toEqual(before);
  });

  it.each([
    "backup --to place",
    "backup one --all --to place",
    "backup one --to place --shard 0/2",
    "backup --all --to place --shard 2/2",
    "backup one --to place --keep-last few",
    "backup one --to place --keep-within 7x",
    "prune place",
    "prune place --keep-last 0",
    "check place --subset 5",
    "check place --max-age soon",
    "check place --newest --subset 5%",
    "restore place --to one",
    "restore place/one@-1d --to one",
    "restore place/one@2026-02-30 --to one",
  ])("refuses `%s`", async (line) => {
    const { run } = await programWithBackups({});
    expect((await run(line)).exitCode).toBe(2);
  });
});

describe("check", () => {
  it("finds the damaged backup, and the newest good one", async () => {
    await using stack = await oneDashboardStack();
    const { repository, json } = await programWithBackups({ production: stack });
    for (const hours of [0, 24, 48]) await json("backup production --to place", hoursLater(hours));
    const newest = join(repository, "production", "20261123T041500Z.zip");
    const bytes = await readFile(newest);
    bytes.fill(0, bytes.length - 200, bytes.length - 100);
    await writeFile(newest, bytes);
    const found = await json("check place --max-age 25h", hoursLater(49));
    expect(found).toMatchObject({
      exitCode: 4,
      stacks: [
        {
          damaged: [{ archive: "production/20261123T041500Z.zip" }],
          newestGood: "production/20261122T041500Z.zip",
          tooOld: false,
        },
      ],
    });
    expect(await json("check place --newest --max-age 24h", hoursLater(49))).toMatchObject({
      stacks: [{ checked: 1, tooOld: true }],
    });
    const pruned = await json("prune place --keep-last 1 --yes", hoursLater(49));
    expect(pruned["archives"]).toMatchObject([{ reasons: ["damaged"] }, { reasons: ["last"] }, { action: "remove" }]);
  });

  it("reports that a repository holds no backups", async () => {
    const { json } = await programWithBackups({});
    expect(await json("check place")).toMatchObject({ exitCode: 3 });
    expect(await json("check place --stack production")).toMatchObject({
      exitCode: 3,
      stacks: [{ archives: 0, tooOld: true }],
    });
    expect(await json("list place")).toMatchObject({ exitCode: 0, archives: [] });
  });

  it.each([
    ["self-hosted", "extended"],
    ["self-hosted", "contract"],
    ["managed", "extended"],
    ["managed", "contract"],
  ] as const)("restores backups of a %s stack (%s API) onto an empty sandbox", async (variant, api) => {
    await using stack = await startSandbox({ variant, api, seed: "sample" });
    const { json } = await programWithBackups({});
    await json(`backup ${stack.stack} --to place`, { ...hoursLater(0), env: sandboxEnv(stack) });
    const checked = await json("check place --restore-test", hoursLater(1));
    const { dashboards, alerts, sources, webhooks, connections, ...others } = stack.stored();
    const hooks = variant === "managed" && api === "contract" ? [] : webhooks;
    const plumbing =
      api === "contract" ? [] : [...others["saved-searches"], ...(variant === "managed" ? [] : connections)];
    const create = [dashboards, alerts, sources, hooks, plumbing].flat().length;
    expect(checked).toMatchObject({ exitCode: 0, restoreTests: [{ ok: true, counts: { create }, problems: [] }] });
  });

  it("names dangling references and what a restore would create differently, and no dead link or redacted secret", async () => {
    const [logs, missingDashboard] = ["c".repeat(24), "b".repeat(24)];
    const link = { type: "dashboard", target: { mode: "id", id: missingDashboard } };
    const select = [{ aggFn: "count", where: "", whereLanguage: "lucene" }];
    const config = { displayType: "table", sourceId: logs, select, onClick: link };
    const query = { savedQuery: "level:error", savedQueryLanguage: null };
    const board = dashboard("a".repeat(24), "Linking", logs, {
      tiles: [tileWith("1".repeat(24), "Links", config)],
      ...query,
    });
    const search = { id: "5".repeat(24), name: "Dead", sourceId: "9".repeat(24), where: "", tags: [], filters: [] };
    const connections = [{ id: "d".repeat(24), name: "Main", host: "http://db:8123", username: "r" }];
    const sources = [source(logs, "Logs", "d".repeat(24))];
    const markdown = "Sign in with password=hunter2-Tr0ub4dor-9 first.";
    const notes = tileWith("2".repeat(24), "Runbook", { displayType: "markdown", markdown });
    const runbook = dashboard("e".repeat(24), "Runbook", "", { tiles: [notes] });
    const seed = { dashboards: [board, runbook], sources, connections, "saved-searches": [search] };
    await using stack = await startSandbox({ variant: "self-hosted", seed });
    const { json } = await programWithBackups({ production: stack });
    await json("backup production --to place", hoursLater(0));
    const checked = await json("check place --restore-test", hoursLater(1));
    const problems = [expect.objectContaining({ name: "Dead", code: "dead-reference" })];
    expect(checked).toMatchObject({ exitCode: 3, restoreTests: [{ ok: false, counts: { create: 4 }, problems }] });
    const [{ differences }] = checked["restoreTests"] as [{ differences: { code: string }[] }];
    expect(differences.map(({ code }) => code).toSorted()).toEqual(["fitted", "left-out"]);
  });
});

describe("restore", () => {
  it("restores a deleted record from the backup of a given time", async () => {
    await using stack = await startSandbox({ variant: "self-hosted", seed: "sample" });
    const { cwd, repository, json } = await programWithBackups({ production: stack });
    const names = async () => (await recordsOn(stack, "alerts")).map(({ name }) => name);
    const before = await names();
    await json("backup production --to place", hoursLater(0));
    const [alert] = await recordsOn(stack, "alerts");
    await callSandbox(stack, "DELETE", `alerts/${alert?.id}`);
    await json("backup production --to place", hoursLater(24));
    const line = "--to production --yes";
    const newest = await json(`restore place/production ${line}`, hoursLater(25));
    expect(newest).toMatchObject({ exitCode: 0, counts: { unchanged: expect.any(Number) } });
    expect(await names()).toHaveLength(before.length - 1);
    const restored = await json(`restore place/production@2026-11-21 ${line}`, hoursLater(25));
    const label = expect.stringContaining("20261121T041500Z") as string;
    expect(restored).toMatchObject({ exitCode: 0, counts: { create: 1 }, from: { label } });
    expect((await names()).toSorted()).toEqual(before.toSorted());
    for (const wrong of ["production@2026-11-20", "staging"]) {
      expect(await json(`restore place/${wrong} ${line}`)).toMatchObject({ exitCode: 2 });
    }
    await rm(repository, { recursive: true });
    expect((await readdir(cwd)).filter((name) => name.endsWith(".zip"))).toEqual([]);
  });
});
