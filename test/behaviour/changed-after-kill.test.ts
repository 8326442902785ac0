import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../support/import-stage.ts";
import type { InterceptedRequest } from "../../src/sandbox/start-sandbox.ts";
import type { SmallBench } from "../support/small-bench.ts";
import { changeTheOne, letPass, linesOf, smallBench, theOne, watchWrites } from "../support/small-bench.ts";

/** Runs a migration that is killed right before the first request that is meant, so that only its files tell of it. */
async function killMigration(
  bench: SmallBench,
  isMeant: (request: InterceptedRequest) => boolean,
  ...more: string[]
): Promise<void> {
  const files = async (): Promise<string[]> => {
    const names = await readdir(bench.cwd, { recursive: true });
    return names.filter((name) => /\.journal$|\.stackferry\/.*\.json$/.test(name));
  };
  let asKilled: readonly (readonly [string, string])[] | undefined;
  bench.watch = async (request, proceed) => {
    if (!isMeant(request) && asKilled === undefined) return proceed();
    asKilled ??= await Promise.all(
      (await files()).map(async (name) => [name, await readFile(join(bench.cwd, name), "utf8")] as const),
    );
    return Response.json({ message: "no" }, { status: 401 });
  };
  expect((await bench.run(bench.migration(...more))).exitCode).toBe(5);
  bench.watch = letPass;
  expect(asKilled).toBeDefined();
  for (const [name, text] of asKilled ?? []) await writeFile(join(bench.cwd, name), text);
}

const isUpdate = ({ method }: InterceptedRequest): boolean => method === "PUT";
const isAlertUpdate = ({ route }: InterceptedRequest): boolean => route === "PUT alerts/{id}";

/** The bench with a configuration file, so that runs keep a state. */
async function withState(): Promise<SmallBench> {
  const bench = await smallBench();
  await writeFile(join(bench.cwd, "stackferry.yaml"), "stacks: {}\n");
  return bench;
}

/** Whether "One" and "Two" link to each other on the target. */
async function areLinked({ to }: SmallBench): Promise<boolean> {
  const [one, two] = [await theOne(to, "dashboards", "One"), await theOne(to, "dashboards", "Two")];
  return JSON.stringify(one).includes(two.id) && JSON.stringify(two).includes(one.id);
}

describe("after a run that was killed before it had set all links, the source having changed since", () => {
  it.each(["skip", "update", "merge"])("the next run sets them and takes the change (%s)", async (policy) => {
    await using bench = await withState();
    await killMigration(bench, isUpdate);
    expect(await areLinked(bench)).toBe(false);
    await changeTheOne(bench.from, "dashboards", "Three", { tags: ["new"] });
    const run = await bench.run(bench.migration("--on-conflict", policy));
    expect(run.exitCode, run.stdout).toBe(0);
    expect(await areLinked(bench)).toBe(true);
    expect(await theOne(bench.to, "dashboards", "Three")).toMatchObject({ tags: ["new"] });
    const writes = watchWrites(bench);
    expect((await bench.run(bench.migration("--on-conflict", policy))).exitCode).toBe(0);
    expect(writes).toEqual([]);
  });

  it("what somebody has changed on the target stays, and is named", async () => {
    await using bench = await withState();
    await killMigration(bench, isUpdate);
    await changeTheOne(bench.to, "dashboards", "Three", { tags: ["theirs"] });
    await changeTheOne(bench.from, "dashboards", "Three", { tags: ["new"] });
    const run = await bench.run(bench.migration());
    expect(linesOf(run)).toContainEqual("Three skip done both-changed");
    expect(await theOne(bench.to, "dashboards", "Three")).toMatchObject({ tags: ["theirs"] });
    expect(await areLinked(bench)).toBe(true);
  });
});

describe("after an update that was killed, the source having changed since", () => {
  /** The tiles of a dashboard with another width. */
  const wider = ({ tiles }: JsonObject): JsonObject => ({
    tiles: (tiles as JsonObject[]).map((tile) => ({ ...tile, w: 12 })),
  });

  it("the next run takes the second change, too", async () => {
    await using bench = await withState();
    expect((await bench.run(bench.migration())).exitCode).toBe(0);
    await changeTheOne(bench.from, "dashboards", "Three", { tags: ["second"] });
    await changeTheOne(bench.from, "alerts", "Quiet", { threshold: 7 });
    // The dashboard is written first, and the run dies at the alert.
    await killMigration(bench, isAlertUpdate);
    await changeTheOne(bench.from, "dashboards", "Three", { tags: ["third"] });
    expect((await bench.run(bench.migration())).exitCode).toBe(0);
    expect(await theOne(bench.to, "dashboards", "Three")).toMatchObject({ tags: ["third"] });
    expect(await theOne(bench.to, "alerts", "Quiet")).toMatchObject({ threshold: 7 });
  });

  it("what a merge had left as somebody has made it is not overwritten", async () => {
    await using bench = await withState();
    expect((await bench.run(bench.migration())).exitCode).toBe(0);
    await changeTheOne(bench.to, "dashboards", "Three", { tags: ["theirs"] });
    const three = await theOne(bench.from, "dashboards", "Three");
    await changeTheOne(bench.from, "dashboards", "Three", wider(three));
    await changeTheOne(bench.from, "alerts", "Quiet", { threshold: 7 });
    await killMigration(bench, isAlertUpdate, "--on-conflict", "merge");
    expect(await theOne(bench.to, "dashboards", "Three")).toMatchObject({ tags: ["theirs"], tiles: [{ w: 12 }] });
    await changeTheOne(bench.from, "dashboards", "Three", { name: "Third" });
    for (const policy of ["skip", "merge"]) {
      expect((await bench.run(bench.migration("--on-conflict", policy))).exitCode).toBe(0);
      expect(await theOne(bench.to, "dashboards", "Three")).toMatchObject({ tags: ["theirs"] });
    }
  });
});
