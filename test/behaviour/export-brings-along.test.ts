import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { backupFixture } from "../support/backup-fixture.ts";
import { documentOf } from "../support/run-cli.ts";
import { callSandbox, listRecords, outcomesOf, smallBench, theOne } from "../support/small-bench.ts";
import type { CliRun } from "../support/run-cli.ts";
import type { SmallBench } from "../support/small-bench.ts";

const warningsOf = (run: CliRun): [string, string][] =>
  (documentOf(run)["warnings"] as { code: string; message: string }[]).map(({ code, message }) => [code, message]);
const exported = (run: CliRun): string[] =>
  outcomesOf(run).flatMap(({ kind, name }) => (kind === "dashboards" || kind === "alerts" ? [name] : []));
const exportOf = (bench: SmallBench, ...args: string[]): Promise<CliRun> =>
  bench.run(["export", "--from", bench.from.stack, "--out", "some", ...args]);

describe.each(["folder", "code"])("an export in the form %s", (format) => {
  const inForm = ["--format", format];

  it("with --include brings along the alerts on a dashboard", async () => {
    await using bench = await smallBench();
    const run = await exportOf(bench, ...inForm, "--include", "Three");
    expect(exported(run)).toEqual(["Three", "Quiet"]);
    expect(warningsOf(run)).toEqual([]);
    expect(await readdir(join(bench.cwd, "some/alerts"))).toHaveLength(1);
  });

  it("with --include names an alert that is excluded", async () => {
    await using bench = await smallBench();
    const run = await exportOf(bench, ...inForm, "--include", "Three", "--exclude", "Quiet");
    expect(exported(run)).toEqual(["Three"]);
    expect(warningsOf(run)).toEqual([["left-behind", expect.stringMatching(/"Three".*"Quiet"/)]]);
  });

  it("with --only takes the bare dashboard and names the alert", async () => {
    await using bench = await smallBench();
    const run = await exportOf(bench, ...inForm, "--only", "Three", "--include", "One");
    expect(exported(run).toSorted()).toEqual(["Busy", "One", "Three"]);
    expect(warningsOf(run)).toContainEqual(["left-behind", expect.stringMatching(/"Three".*"Quiet"/)]);
  });
});

it("an export names no secret of what it leaves behind", async () => {
  await using bench = await smallBench();
  const { id, ...quiet } = await theOne(bench.from, "alerts", "Quiet");
  const name = "token=ghp_0123456789abcdefghijklmnopqrstuvwxyzAB";
  await callSandbox(bench.from, "PUT", `alerts/${id}`, { ...quiet, name });
  const run = await exportOf(bench, "--format", "folder", "--only", "Three");
  expect(warningsOf(run)).toEqual([["left-behind", expect.stringContaining("«redacted:")]]);
  expect(run.stdout + run.stderr).not.toContain("ghp_");
});

it("the manifest says what was chosen, and a mirror of that is refused", async () => {
  await using bench = await smallBench();
  await exportOf(bench, "--format", "folder", "--only", "Three");
  const manifest: unknown = JSON.parse(await readFile(join(bench.cwd, "some/manifest.json"), "utf8"));
  expect(manifest).toMatchObject({ filter: { include: [], only: ["Three"], exclude: [] } });
  const run = await bench.run(["import", "some", "--to", bench.to.stack, "--state", "s.json", "--mirror"]);
  expect(run.exitCode).toBe(2);
  expect(run.stdout).toContain("--only Three");
  const code = await exportOf(bench, "--format", "code", "--only", "Three", "--mirror");
  expect(code.exitCode).toBe(2);
});

it("a restore with --only brings the bare dashboard back and names its alerts, which --include brings", async () => {
  await using stack = await startSandbox({ variant: "self-hosted", seed: "sample" });
  const { json } = await backupFixture({ production: stack });
  expect((await json("backup production --to place"))["exitCode"]).toBe(0);
  const { id } = await theOne(stack, "dashboards", "Kubernetes nodes");
  await callSandbox(stack, "DELETE", `dashboards/${id}`);
  const restore = "restore place/production --to production --consistency-wait 1ms";
  const only = await json(`${restore} --only Kubernetes* --dry-run`);
  expect(only).toMatchObject({ counts: { create: 1 } });
  expect(only["warnings"]).toContainEqual(expect.objectContaining({ code: "left-behind" }));
  const before = await listRecords(stack, "alerts");
  const along = await json(`${restore} --include Kubernetes*`);
  expect(along).toMatchObject({ exitCode: 0, counts: { create: 3 } });
  expect(along["warnings"]).not.toContainEqual(expect.objectContaining({ code: "left-behind" }));
  expect(await listRecords(stack, "alerts")).toHaveLength(before.length + 2);
});
