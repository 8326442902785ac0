import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tileIds, type JsonObject } from "../support/import-stage.ts";
import { hexId } from "../support/stack-records.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";
import {
  callSandbox,
  changeListedRecord,
  passThrough,
  outcomeLinesOf,
  outcomesOf,
  listRecords,
  smallBench,
  listedRecord,
  stateFileOf,
  warningsOf,
  watchWrites,
  type SmallBench,
} from "../support/small-bench.ts";

/** Migrates a stack to another with a state, and then renames the dashboard "One" on the target. */
async function migratedAndRenamed(): Promise<SmallBench> {
  const bench = await smallBench();
  await writeFile(join(bench.cwd, "stackferry.yaml"), "stacks: {}\n");
  const there = await bench.run(bench.migration());
  expect(there.exitCode, there.stdout).toBe(0);
  await changeListedRecord(bench.to, "dashboards", "One", { name: "First", tags: ["new"] });
  return bench;
}

const back = (bench: SmallBench, ...more: string[]) =>
  bench.run(["migrate", "--from", bench.to.stack, "--to", bench.from.stack, ...more], {
    env: sandboxEnv(bench.to, bench.from),
  });

/** Returns the sorted names of the first stack's records of a kind. */
const namesAtHome = async ({ from }: SmallBench, kind = "dashboards"): Promise<string[]> =>
  (await listRecords(from, kind)).map(({ name }) => name).toSorted();

/** Returns the tiles of "Two" on the first stack, as text that holds the ids to which they link. */
const linksOfTwo = async ({ from }: SmallBench): Promise<string> =>
  JSON.stringify((await listedRecord(from, "dashboards", "Two"))["tiles"]);

describe("a migration back", () => {
  it("recognises what was renamed meanwhile, and doubles neither the dashboard nor its alert", async () => {
    await using bench = await migratedAndRenamed();
    // A map file precedes the other direction's state.
    const three = (await listedRecord(bench.from, "dashboards", "Three")).id;
    await writeFile(join(bench.cwd, "map.yaml"), `dashboards:\n  First: ${three}\n`);
    const mapped = await back(bench, "--map", "map.yaml", "--dry-run", "--on-conflict", "update");
    const first = { action: "update", targetId: three };
    expect(outcomesOf(mapped).find(({ name }) => name === "First")).toMatchObject(first);
    const run = await back(bench);
    expect(run.exitCode, run.stdout).toBe(0);
    expect(outcomeLinesOf(run)).toEqual([
      "Busy unchanged done",
      "First skip done exists",
      "Logs skip done matched",
      "Main skip done matched",
      "Quiet unchanged done",
      "Three unchanged done",
      "Two unchanged done",
      "pager skip done matched",
    ]);
    expect(await namesAtHome(bench)).toEqual(["One", "Three", "Two"]);
    expect(await namesAtHome(bench, "alerts")).toEqual(["Busy", "Quiet"]);
  });

  it("overwrites it with --on-conflict update, and leaves the links of others where they lead", async () => {
    await using bench = await migratedAndRenamed();
    const [one, links] = [await listedRecord(bench.from, "dashboards", "One"), await linksOfTwo(bench)];
    expect((await back(bench, "--on-conflict", "update")).exitCode).toBe(0);
    expect((await listedRecord(bench.from, "dashboards", "First")).id).toBe(one.id);
    expect(await linksOfTwo(bench)).toBe(links);
    expect(await namesAtHome(bench, "alerts")).toEqual(["Busy", "Quiet"]);
    const writes = watchWrites(bench);
    expect((await back(bench, "--on-conflict", "update")).exitCode).toBe(0);
    expect(writes).toEqual([]);
  });

  it("keeps the tiles' ids too, and so the alerts on them, though a tile has another name and query", async () => {
    await using bench = await migratedAndRenamed();
    const before = await listedRecord(bench.from, "dashboards", "One");
    const [tile, ...others] = (await listedRecord(bench.to, "dashboards", "First"))["tiles"] as JsonObject[];
    const config = { displayType: "number", sourceId: hexId("b", 1), select: [{ aggFn: "sum", valueExpression: "v" }] };
    await changeListedRecord(bench.to, "dashboards", "First", {
      tiles: [{ ...tile, name: "Other", config }, ...others],
    });
    expect((await back(bench, "--on-conflict", "update")).exitCode).toBe(0);
    const after = await listedRecord(bench.from, "dashboards", "First");
    expect(tileIds(after)).toEqual(tileIds(before));
    expect(after).toMatchObject({ id: before.id, tiles: [{ name: "Other" }, {}] });
    expect(await listedRecord(bench.from, "alerts", "Busy")).toMatchObject({ tileId: tileIds(before)[0] });
  });

  it("still creates a copy under --on-conflict duplicate", async () => {
    await using bench = await migratedAndRenamed();
    expect((await back(bench, "--on-conflict", "duplicate", "--only", "First")).exitCode).toBe(0);
    expect(await namesAtHome(bench)).toEqual(["First", "One", "Three", "Two"]);
  });

  it("deletes nothing that only the other direction's state lists", async () => {
    await using bench = await migratedAndRenamed();
    const { id } = await listedRecord(bench.to, "alerts", "Quiet");
    await callSandbox(bench.to, "DELETE", `alerts/${id}`);
    expect((await back(bench, "--mirror")).exitCode).toBe(0);
    expect((await back(bench, "--mirror")).exitCode).toBe(0);
    expect(await namesAtHome(bench, "alerts")).toEqual(["Busy", "Quiet"]);
  });

  it("recognises records that a killed run of the other direction wrote", async () => {
    await using bench = await smallBench();
    await writeFile(join(bench.cwd, "stackferry.yaml"), "stacks: {}\n");
    const folder = join(bench.cwd, ".stackferry");
    let asBegun: readonly [string, string] | undefined;
    bench.watch = async (_, proceed) => {
      const [file] = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".json"));
      if (file !== undefined) asBegun = [join(folder, file), await readFile(join(folder, file), "utf8")];
      return proceed();
    };
    expect((await bench.run(bench.migration("--no-verify"))).exitCode).toBe(0);
    bench.watch = passThrough;
    const [file = "", text = ""] = asBegun ?? [];
    expect(text).toContain('"begun"');
    // A run that is killed leaves the state as the run wrote it when it began.
    await writeFile(file, text);
    await changeListedRecord(bench.to, "dashboards", "One", { name: "First", tags: ["new"] });
    expect((await back(bench)).exitCode).toBe(0);
    expect(await namesAtHome(bench)).toEqual(["One", "Three", "Two"]);
  });
});

describe("the state of the other direction", () => {
  it("is passed over with a warning where it is damaged and a record may need it", async () => {
    await using bench = await migratedAndRenamed();
    const path = await stateFileOf(bench);
    const text = await readFile(path, "utf8");
    for (const damaged of [text.replace('"One"', '"Eno"'), "not a state\n"]) {
      await writeFile(path, damaged);
      const run = await back(bench, "--dry-run");
      expect(run.exitCode, run.stdout).toBe(0);
      // "First" would be created, with an alert that is on "One" already.
      expect(warningsOf(run)).toEqual([expect.stringMatching(/^state-un(?:proven|readable)$/), "created-beside"]);
      expect(outcomeLinesOf(run)).toContain("First create planned");
      expect(await readFile(path, "utf8")).toBe(damaged);
    }
  });

  it("is not used by a run with a name prefix, which creates its own records", async () => {
    await using bench = await migratedAndRenamed();
    expect((await back(bench, "--name-prefix", "Copy of ")).exitCode).toBe(0);
    expect(await namesAtHome(bench)).toEqual(["Copy of First", "Copy of Three", "Copy of Two", "One", "Three", "Two"]);
  });
});
