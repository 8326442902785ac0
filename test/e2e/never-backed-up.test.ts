import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { START, hoursLater, programWithBackups, oneDashboardStack } from "../support/program-with-backups.ts";

const TIMESTAMP = "stackferry_backup_newest_good_timestamp_seconds";

it("a configured stack without a good backup is found by check --all, and its metric is 0", async () => {
  await using production = await oneDashboardStack();
  await using other = await oneDashboardStack();
  const { cwd, run, json } = await programWithBackups({ production, other });
  await run("backup production --to place");
  expect(await json("check place")).toMatchObject({ exitCode: 0 });
  expect(await json("check place --all --metrics-file check.prom")).toMatchObject({
    exitCode: 3,
    stacks: [
      { stack: "production", tooOld: false },
      { stack: "other", archives: 0, tooOld: true },
    ],
  });
  const metrics = await readFile(join(cwd, "check.prom"), "utf8");
  expect(metrics).toContain(`${TIMESTAMP}{command="check",stack="other"} 0\n`);
  expect(metrics).toContain('stackferry_last_run_exit_code{command="check",stack="other"} 3\n');
  expect(await json("check place --all --stack other")).toMatchObject({ exitCode: 2 });
});

it("a stack whose backups were all removed is named by list and check, until its file `good` is removed", async () => {
  await using stack = await oneDashboardStack();
  const { repository, json } = await programWithBackups({ production: stack, other: stack });
  await json("backup production other --to place", hoursLater(0));
  const files = await readdir(join(repository, "other"));
  for (const name of files.filter((file) => file !== "good")) await rm(join(repository, "other", name));
  const warnings = [{ code: "missing-backup", message: expect.stringContaining("a good backup of other") as string }];
  for (const line of ["list place", "check place", "check place --newest --max-age 2h"]) {
    expect(await json(line, hoursLater(1))).toMatchObject({ exitCode: 0, warnings });
  }
  expect(await json("list place --stack production", hoursLater(1))).toMatchObject({ exitCode: 0, warnings: [] });
  await rm(join(repository, "other", "good"));
  expect(await json("check place", hoursLater(1))).toMatchObject({ exitCode: 0, warnings: [] });
});

it("a stack whose first backup fails has the metric 0, also where its key is missing", async () => {
  await using production = await oneDashboardStack();
  const { cwd, run } = await programWithBackups({ production });
  await run("backup production --to place --metrics-file backup.prom", { env: { PRODUCTION_API_KEY: "wrong" } });
  const refused = await readFile(join(cwd, "backup.prom"), "utf8");
  await writeFile(join(cwd, "backup.prom"), "#");
  await run("backup production --to place --metrics-file backup.prom", { env: { PRODUCTION_API_KEY: "" } });
  for (const metrics of [refused, await readFile(join(cwd, "backup.prom"), "utf8")]) {
    expect(metrics).toContain(`${TIMESTAMP}{command="backup",stack="production"} 0\n`);
  }
});

it("the time of the newest good backup does not depend on how long a later run takes", async () => {
  await using production = await oneDashboardStack();
  const { cwd, run } = await programWithBackups({ production });
  await run("backup production --to place", hoursLater(0));
  let { now } = hoursLater(1);
  const slowly = () => {
    const time = now() + 1000;
    now = () => time;
    return time;
  };
  for (const [command, env, exitCode] of [
    ["backup", { PRODUCTION_API_KEY: "wrong" }, 5],
    ["check", {}, 0],
  ] as const) {
    const line = `${command} ${command === "backup" ? "production --to " : ""}place --metrics-file run.prom`;
    expect(await run(line, { env, now: slowly })).toMatchObject({ exitCode });
    const metrics = await readFile(join(cwd, "run.prom"), "utf8");
    expect(metrics).toContain(`${TIMESTAMP}{command="${command}",stack="production"} ${START / 1000}\n`);
  }
});

it("a run about one stack has the same labels as one about several", async () => {
  await using production = await oneDashboardStack();
  await using other = await oneDashboardStack();
  const { cwd, run } = await programWithBackups({ production, other });
  const labelsOf = async (args: string): Promise<string[]> => {
    await run(`${args} --metrics-file run.prom`);
    const lines = (await readFile(join(cwd, "run.prom"), "utf8")).match(/^stackferry_last_run_exit_code\{.*\}/gm);
    return (lines ?? []).map((line) => /stack="(.*?)"/.exec(line)?.[1] ?? "");
  };
  expect(await labelsOf("backup production --to place")).toEqual(["", "production"]);
  expect(await labelsOf("check place")).toEqual(["", "production"]);
  expect(await labelsOf("backup --all --to place")).toEqual(["", "production", "other"]);
});
