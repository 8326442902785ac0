import { mkdir, readdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hoursLater } from "../support/backup-fixture.ts";
import { configuredStacks } from "../support/configured-stacks.ts";
import { areLinked, isUpdate, killRun } from "../support/killed-run.ts";
import { documentOf, type CliRun, type RunCliOptions } from "../support/run-cli.ts";
import {
  callSandbox,
  changeListedRecord,
  namesIn,
  smallBench,
  listedRecord,
  watchWrites,
  type SmallBench,
} from "../support/small-bench.ts";
import type { JsonObject } from "../support/import-stage.ts";
import type { InterceptedRequest } from "../../src/sandbox/start-sandbox.ts";

/** Returns the messages of a run's warnings about an unfinished import. */
const unfinishedWarnings = (run: CliRun): string[] =>
  (documentOf(run)["warnings"] as { code: string; message: string }[])
    .filter(({ code }) => code === "unfinished-import")
    .map(({ message }) => message);

const journalsIn = async ({ cwd }: SmallBench): Promise<string[]> =>
  (await readdir(cwd)).filter((name) => name.endsWith(".journal"));

describe("a restore that was interrupted, and a backup that was made since", () => {
  /** Creates a stack that has lost two dashboards, and kills a restore of the two before it has set their links. */
  async function halfRestored() {
    const bench = await smallBench();
    expect((await bench.run(bench.migration("--journal", "first"))).exitCode).toBe(0);
    const { stacks, env } = configuredStacks({ prod: bench.to });
    await writeFile(join(bench.cwd, "stackferry.yaml"), JSON.stringify({ stacks }));
    const run = (line: string, hours: number, more: RunCliOptions = {}): Promise<CliRun> =>
      bench.run(line.split(" "), { ...hoursLater(hours), ...more, env });
    const restore = (hours: number, time = "", more = ""): Promise<CliRun> =>
      run(`restore repo/prod${time} --to prod${more}`, hours);
    await mkdir(join(bench.cwd, "repo"));
    const first = await run("backup prod --to repo", 1);
    expect(first.exitCode, first.stdout).toBe(0);
    for (const name of ["One", "Two"]) {
      await callSandbox(bench.to, "DELETE", `dashboards/${(await listedRecord(bench.to, "dashboards", name)).id}`);
    }
    await killRun(bench, isUpdate, () => restore(2));
    expect((await run("backup prod --to repo", 3)).exitCode).toBe(0);
    return Object.assign(bench, { restore, program: run });
  }

  it("is named with the commands to finish and undo it, also in a dry run, until it is finished", async () => {
    await using bench = await halfRestored();
    let finish = "";
    for (const more of [" --dry-run --exit-code", ""]) {
      const run = await bench.restore(4, "", more);
      expect(run.exitCode, run.stdout).toBe(0);
      const [message = "", ...others] = unfinishedWarnings(run);
      expect(others).toEqual([]);
      [, finish = ""] = /finish it with: stackferry (restore \S+ --to prod)/.exec(message) ?? [];
      expect(finish).toMatch(/^restore repo\/prod@\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d --to prod$/);
      expect(message).toContain("--to prod, and the flags that it had; or undo it");
      expect(message).toMatch(/undo it with: stackferry rollback \S+stackferry-restore-prod-\S+\.journal --to prod$/);
    }
    expect(await areLinked(bench)).toBe(false);
    const finished = await bench.program(finish, 4);
    expect([finished.exitCode, unfinishedWarnings(finished)]).toEqual([0, []]);
    expect(await areLinked(bench)).toBe(true);
    expect(await namesIn(bench, "alerts")).toEqual(["Busy", "Quiet"]);
    expect(unfinishedWarnings(await bench.restore(4))).toEqual([]);
  });

  it("is named no more once it is undone, nor for a journal of another stack or one that cannot be trusted", async () => {
    await using bench = await halfRestored();
    const named = async (): Promise<number> => unfinishedWarnings(await bench.restore(4, "", " --dry-run")).length;
    const [journal = ""] = (await journalsIn(bench)).filter((name) => name.startsWith("stackferry-restore-prod"));
    const [ours, theirs] = [journal, journal.replace("prod", "prod-eu")].map((name) => join(bench.cwd, name));
    await rename(ours ?? "", theirs ?? "");
    expect(await named()).toBe(0);
    await writeFile(ours ?? "", "not a journal\n");
    expect(await named()).toBe(0);
    await rename(theirs ?? "", ours ?? "");
    expect(await named()).toBe(1);
    expect((await bench.program(`rollback ${journal} --to prod`, 4)).exitCode).toBe(0);
    expect(await namesIn(bench)).toEqual(["Three"]);
    expect(await named()).toBe(0);
  });
});

describe("a migration that was interrupted, and a source that has changed since", () => {
  it("is named where no state tells what it wrote", async () => {
    await using bench = await smallBench();
    await killRun(bench, isUpdate, () => bench.run(bench.migration()));
    await changeListedRecord(bench.from, "dashboards", "Three", { tags: ["new"] });
    const [journal = ""] = await journalsIn(bench);
    const run = await bench.run(bench.migration());
    expect(run.exitCode, run.stdout).toBe(0);
    expect(unfinishedWarnings(run)).toEqual([
      expect.stringContaining(`rollback ${join(bench.cwd, journal)} --to ${bench.to.stack}`),
    ]);
    expect((await bench.run(["rollback", journal, "--to", bench.to.stack])).exitCode).toBe(0);
    const again = await bench.run(bench.migration());
    expect(unfinishedWarnings(again)).toEqual([]);
    expect(await areLinked(bench)).toBe(true);
  });

  it("makes the next run wait, since the lists may not show its writes yet", async () => {
    await using bench = await smallBench();
    await writeFile(join(bench.cwd, "stackferry.yaml"), "stacks: {}\n");
    await killRun(bench, isUpdate, () => bench.run(bench.migration()));
    await changeListedRecord(bench.from, "dashboards", "Three", { tags: ["new"] });
    const shownFrom = Date.now() + 300;
    bench.watch = async (request, proceed) =>
      request.route === "GET dashboards" && Date.now() < shownFrom ? Response.json({ data: [] }) : proceed();
    const run = await bench.run(bench.migration("--consistency-wait", "2s"));
    expect(run.exitCode, run.stdout).toBe(0);
    expect(await namesIn(bench)).toEqual(["One", "Three", "Two"]);
  });

  it("is not named where the state lets the next run finish it", async () => {
    await using bench = await smallBench();
    await writeFile(join(bench.cwd, "stackferry.yaml"), "stacks: {}\n");
    await killRun(bench, isUpdate, () => bench.run(bench.migration()));
    await changeListedRecord(bench.from, "dashboards", "One", { tags: ["new"] });
    await callSandbox(bench.from, "DELETE", `dashboards/${(await listedRecord(bench.from, "dashboards", "Three")).id}`);
    for (const _run of [1, 2]) expect(unfinishedWarnings(await bench.run(bench.migration()))).toEqual([]);
    expect(await areLinked(bench)).toBe(true);
  });
});

/** Runs a migration that is killed before the first request for which `isMeant` is true. */
const killMigration = (bench: SmallBench, isMeant: (request: InterceptedRequest) => boolean, ...more: string[]) =>
  killRun(bench, isMeant, () => bench.run(bench.migration(...more)));

const isAlertUpdate = ({ route }: InterceptedRequest): boolean => route === "PUT alerts/{id}";

/** Creates a bench with a configuration file, so that its runs keep a state. */
async function withState(): Promise<SmallBench> {
  const bench = await smallBench();
  await writeFile(join(bench.cwd, "stackferry.yaml"), "stacks: {}\n");
  return bench;
}

describe("after a run that was killed before it had set all links, the source having changed since", () => {
  it("the next run sets the links and writes the change", async () => {
    await using bench = await withState();
    await killMigration(bench, isUpdate);
    expect(await areLinked(bench)).toBe(false);
    await changeListedRecord(bench.from, "dashboards", "Three", { tags: ["new"] });
    const run = await bench.run(bench.migration());
    expect(run.exitCode, run.stdout).toBe(0);
    expect(await areLinked(bench)).toBe(true);
    expect(await listedRecord(bench.to, "dashboards", "Three")).toMatchObject({ tags: ["new"] });
    const writes = watchWrites(bench);
    expect((await bench.run(bench.migration())).exitCode).toBe(0);
    expect(writes).toEqual([]);
  });
});

describe("after an update that was killed, the source having changed since", () => {
  /** Returns the dashboard's tiles, each with another width. */
  const wider = ({ tiles }: JsonObject): JsonObject => ({
    tiles: (tiles as JsonObject[]).map((tile) => ({ ...tile, w: 12 })),
  });

  it("the next run writes the source's second change, too", async () => {
    await using bench = await withState();
    expect((await bench.run(bench.migration())).exitCode).toBe(0);
    await changeListedRecord(bench.from, "dashboards", "Three", { tags: ["second"] });
    await changeListedRecord(bench.from, "alerts", "Quiet", { threshold: 7 });
    // The run writes the dashboard and is killed at the alert.
    await killMigration(bench, isAlertUpdate);
    await changeListedRecord(bench.from, "dashboards", "Three", { tags: ["third"] });
    expect((await bench.run(bench.migration())).exitCode).toBe(0);
    expect(await listedRecord(bench.to, "dashboards", "Three")).toMatchObject({ tags: ["third"] });
    expect(await listedRecord(bench.to, "alerts", "Quiet")).toMatchObject({ threshold: 7 });
  });

  it("does not overwrite somebody's edit that a merge has left on the target", async () => {
    await using bench = await withState();
    expect((await bench.run(bench.migration())).exitCode).toBe(0);
    await changeListedRecord(bench.to, "dashboards", "Three", { tags: ["theirs"] });
    const three = await listedRecord(bench.from, "dashboards", "Three");
    await changeListedRecord(bench.from, "dashboards", "Three", wider(three));
    await changeListedRecord(bench.from, "alerts", "Quiet", { threshold: 7 });
    await killMigration(bench, isAlertUpdate, "--on-conflict", "merge");
    expect(await listedRecord(bench.to, "dashboards", "Three")).toMatchObject({ tags: ["theirs"], tiles: [{ w: 12 }] });
    await changeListedRecord(bench.from, "dashboards", "Three", { name: "Third" });
    for (const policy of ["skip", "merge"]) {
      expect((await bench.run(bench.migration("--on-conflict", policy))).exitCode).toBe(0);
      expect(await listedRecord(bench.to, "dashboards", "Three")).toMatchObject({ tags: ["theirs"] });
    }
  });
});
