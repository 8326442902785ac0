import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../support/import-stage.ts";
import type { InterceptedRequest } from "../../src/sandbox/start-sandbox.ts";
import type { SmallBench } from "../support/small-bench.ts";
import { areLinked, isUpdate, killRun } from "../support/killed-run.ts";
import { changeListedRecord, outcomeLinesOf, smallBench, listedRecord, watchWrites } from "../support/small-bench.ts";

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
  it.each(["skip", "update", "merge"])("the next run sets the links and writes the change (%s)", async (policy) => {
    await using bench = await withState();
    await killMigration(bench, isUpdate);
    expect(await areLinked(bench)).toBe(false);
    await changeListedRecord(bench.from, "dashboards", "Three", { tags: ["new"] });
    const run = await bench.run(bench.migration("--on-conflict", policy));
    expect(run.exitCode, run.stdout).toBe(0);
    expect(await areLinked(bench)).toBe(true);
    expect(await listedRecord(bench.to, "dashboards", "Three")).toMatchObject({ tags: ["new"] });
    const writes = watchWrites(bench);
    expect((await bench.run(bench.migration("--on-conflict", policy))).exitCode).toBe(0);
    expect(writes).toEqual([]);
  });

  it("keeps and names what somebody has changed on the target", async () => {
    await using bench = await withState();
    await killMigration(bench, isUpdate);
    await changeListedRecord(bench.to, "dashboards", "Three", { tags: ["theirs"] });
    await changeListedRecord(bench.from, "dashboards", "Three", { tags: ["new"] });
    const run = await bench.run(bench.migration());
    expect(outcomeLinesOf(run)).toContainEqual("Three skip done both-changed");
    expect(await listedRecord(bench.to, "dashboards", "Three")).toMatchObject({ tags: ["theirs"] });
    expect(await areLinked(bench)).toBe(true);
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
