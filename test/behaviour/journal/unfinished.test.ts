import { readFileSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callSandbox } from "../../support/read-sandbox.ts";
import { changeOn, recordOn, sortedNamesOn } from "../../support/on-stack.ts";
import { hoursLater } from "../../support/program-with-backups.ts";
import { configuredStacks } from "../../support/configured-stacks.ts";
import { areLinked, isUpdate, killRun } from "../../support/killed-run.ts";
import { documentOf, type CliRun, type RunCliOptions } from "../../support/run-cli.ts";
import {
  lastRunIn,
  programAfterMigration,
  programWithArchive,
  watchWrites,
  type ProgramWithArchive,
} from "../../support/program-with-archive.ts";
import type { JsonObject } from "../../support/import-stage.ts";
import type { InterceptedRequest } from "../../../src/sandbox/start-sandbox.ts";

/** Returns the messages of a run's warnings about an unfinished import. */
const unfinishedWarnings = (run: CliRun): string[] =>
  (documentOf(run)["warnings"] as { code: string; message: string }[])
    .filter(({ code }) => code === "unfinished-import")
    .map(({ message }) => message);

describe("a restore that was interrupted, and a backup that was made since", () => {
  /** Creates a stack that has lost two dashboards, and kills a restore of the two before it has set their links. */
  async function halfRestored() {
    const program = await programAfterMigration();
    const { stacks, env } = configuredStacks({ prod: program.to });
    await writeFile(join(program.cwd, "stackferry.yaml"), JSON.stringify({ stacks }));
    const run = (line: string, hours: number, more: RunCliOptions = {}): Promise<CliRun> =>
      program.run(line.split(" "), { ...hoursLater(hours), ...more, env });
    const restore = (hours: number, time = "", more = ""): Promise<CliRun> =>
      run(`restore repo/prod${time} --to prod${more}`, hours);
    await mkdir(join(program.cwd, "repo"));
    const first = await run("backup prod --to repo", 1);
    expect(first.exitCode, first.stdout).toBe(0);
    const [backup = ""] = (await readdir(join(program.cwd, "repo", "prod"))).filter((name) => name.endsWith(".zip"));
    const firstTime = `@${backup.replace(/\.zip$/, "")}`;
    for (const name of ["One", "Two"]) {
      await callSandbox(program.to, "DELETE", `dashboards/${(await recordOn(program.to, "dashboards", name)).id}`);
    }
    await killRun(program, isUpdate, () => restore(2));
    expect((await run("backup prod --to repo", 3)).exitCode).toBe(0);
    const { host } = new URL(program.to.url);
    const own = `${host.replace(":", "-")}--${host.replace(":", "-")}.journal`;
    /** Reads the journal of the restores. */
    const restoreEntries = (): JsonObject[] =>
      readFileSync(join(program.cwd, ".stackferry", own), "utf8")
        .split("\n")
        .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as JsonObject]));
    const restoreRun = (): number => lastRunIn(restoreEntries());
    return Object.assign(program, { restore, program: run, first: firstTime, restoreEntries, restoreRun });
  }

  it("is named by a restore of the newer backup, and finished under its number by one of its own backup", async () => {
    await using program = await halfRestored();
    for (const more of [" --dry-run --exit-code", ""]) {
      const run = await program.restore(4, "", more);
      expect(run.exitCode, run.stdout).toBe(0);
      expect(unfinishedWarnings(run)).toEqual([expect.stringMatching(/links of the dashboard "(One|Two)"/)]);
    }
    expect(await areLinked(program)).toBe(false);
    const finished = await program.restore(4, program.first);
    expect([finished.exitCode, unfinishedWarnings(finished)]).toEqual([0, []]);
    expect(await areLinked(program)).toBe(true);
    expect(await sortedNamesOn(program.to, "alerts")).toEqual(["Busy", "Quiet"]);
    expect(unfinishedWarnings(await program.restore(4))).toEqual([]);
  });

  it("is finished under its number, and named no more once it is undone", async () => {
    await using program = await halfRestored();
    expect((await program.restore(4, program.first)).exitCode).toBe(0);
    const ofRestore = program.restoreEntries();
    expect(new Set(ofRestore.flatMap(({ type, run }) => (type === "begin" ? [run] : []))).size).toBe(1);
    const undone = await program.program(`rollback --run ${program.restoreRun()} --to prod`, 4);
    expect(undone.exitCode, undone.stdout).toBe(0);
    expect(await sortedNamesOn(program.to)).toEqual(["Three"]);
    expect(unfinishedWarnings(await program.restore(4, "", " --dry-run"))).toEqual([]);
  });
});

describe("a migration that was interrupted, and a source that has changed since", () => {
  it("makes the next run wait, since the lists may not show its writes yet", async () => {
    await using program = await programWithArchive();
    await killRun(program, isUpdate, () => program.run(program.migration()));
    await changeOn(program.from, "dashboards", { tags: ["new"] }, "Three");
    const shownFrom = Date.now() + 300;
    program.watch = async (request, proceed) =>
      request.route === "GET dashboards" && Date.now() < shownFrom ? Response.json({ data: [] }) : proceed();
    const run = await program.run(program.migration(), { env: { STACKFERRY_CONSISTENCY_WAIT: "2s" } });
    expect(run.exitCode, run.stdout).toBe(0);
    expect(await sortedNamesOn(program.to)).toEqual(["One", "Three", "Two"]);
  });

  it("is finished by the next run, and not named", async () => {
    await using program = await programWithArchive();
    await killRun(program, isUpdate, () => program.run(program.migration()));
    await changeOn(program.from, "dashboards", { tags: ["new"] }, "One");
    await callSandbox(program.from, "DELETE", `dashboards/${(await recordOn(program.from, "dashboards", "Three")).id}`);
    for (const _run of [1, 2]) expect(unfinishedWarnings(await program.run(program.migration()))).toEqual([]);
    expect(await areLinked(program)).toBe(true);
  });
});

/** Runs a migration that is killed before the first request for which `isMeant` is true. */
const killMigration = (
  program: ProgramWithArchive,
  isMeant: (request: InterceptedRequest) => boolean,
  ...more: string[]
) => killRun(program, isMeant, () => program.run(program.migration(...more)));

const isAlertUpdate = ({ route }: InterceptedRequest): boolean => route === "PUT alerts/{id}";

describe("after a run that was killed before it had set all links, the source having changed since", () => {
  it("the next run sets the links and writes the change", async () => {
    await using program = await programWithArchive();
    await killMigration(program, isUpdate);
    expect(await areLinked(program)).toBe(false);
    await changeOn(program.from, "dashboards", { tags: ["new"] }, "Three");
    const run = await program.run(program.migration());
    expect(run.exitCode, run.stdout).toBe(0);
    expect(await areLinked(program)).toBe(true);
    expect(await recordOn(program.to, "dashboards", "Three")).toMatchObject({ tags: ["new"] });
    const writes = watchWrites(program);
    expect((await program.run(program.migration())).exitCode).toBe(0);
    expect(writes).toEqual([]);
  });
});

describe("after an update that was killed, the source having changed since", () => {
  /** Returns the dashboard's tiles, each with another width. */
  const wider = ({ tiles }: JsonObject): JsonObject => ({
    tiles: (tiles as JsonObject[]).map((tile) => ({ ...tile, w: 12 })),
  });

  it("the next run writes the source's second change, too", async () => {
    await using program = await programAfterMigration();
    await changeOn(program.from, "dashboards", { tags: ["second"] }, "Three");
    await changeOn(program.from, "alerts", { threshold: 7 }, "Quiet");
    // The run writes the dashboard and is killed at the alert.
    await killMigration(program, isAlertUpdate);
    await changeOn(program.from, "dashboards", { tags: ["third"] }, "Three");
    expect((await program.run(program.migration())).exitCode).toBe(0);
    expect(await recordOn(program.to, "dashboards", "Three")).toMatchObject({ tags: ["third"] });
    expect(await recordOn(program.to, "alerts", "Quiet")).toMatchObject({ threshold: 7 });
  });

  it("does not overwrite somebody's edit that a merge has left on the target", async () => {
    await using program = await programAfterMigration();
    await changeOn(program.to, "dashboards", { tags: ["theirs"] }, "Three");
    const three = await recordOn(program.from, "dashboards", "Three");
    await changeOn(program.from, "dashboards", wider(three), "Three");
    await changeOn(program.from, "alerts", { threshold: 7 }, "Quiet");
    await killMigration(program, isAlertUpdate, "--on-conflict", "merge");
    expect(await recordOn(program.to, "dashboards", "Three")).toMatchObject({
      tags: ["theirs"],
      tiles: [{ w: 12 }],
    });
    await changeOn(program.from, "dashboards", { name: "Third" }, "Three");
    for (const [policy, name] of [
      ["keep", "Three"],
      ["merge", "Third"],
    ] as const) {
      expect((await program.run(program.migration("--on-conflict", policy))).exitCode).toBe(0);
      expect(await recordOn(program.to, "dashboards", name)).toMatchObject({ tags: ["theirs"] });
    }
  });
});
