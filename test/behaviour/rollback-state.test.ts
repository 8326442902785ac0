import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { documentOf, type CliRun } from "../support/run-cli.ts";
import {
  callSandbox,
  changeListedRecord,
  editFile,
  listRecords,
  namesIn,
  passThrough,
  outcomesOf,
  smallBench,
  listedRecord,
  stateFileOf,
  type SmallBench,
} from "../support/small-bench.ts";
import { outcomeLines } from "../support/import-stage.ts";

/** Writes the source's code files. The target has a dashboard "Three" of its own, and runs keep a state. */
async function files() {
  const stage = await smallBench();
  await stage.writeFiles();
  const { id: _id, ...three } = await listedRecord(stage.from, "dashboards", "Three");
  const tiles = (three["tiles"] as object[]).map((tile) => ({
    ...tile,
    id: undefined,
    config: { displayType: "markdown", markdown: "mine" },
  }));
  await callSandbox(stage.to, "POST", "dashboards", { ...three, tiles });
  const journals = async (): Promise<string[]> =>
    (await readdir(stage.cwd)).filter((name) => name.endsWith(".journal"));
  let last = "";
  const { apply } = stage;
  const applyNoting: SmallBench["apply"] = async (...more) => {
    const before = await journals();
    const run = await apply(...more);
    last = (await journals()).find((name) => !before.includes(name)) ?? last;
    return run;
  };
  return Object.assign(stage, {
    apply: applyNoting,
    /** Rolls back the last run. */
    undo: (): Promise<CliRun> => stage.run(["rollback", last, "--to", stage.to.stack]),
  });
}

const writes = (run: CliRun): string[] =>
  outcomeLines(
    outcomesOf(run)
      .filter(({ action }) => ["create", "update", "delete", "skip"].includes(action))
      .filter(({ kind }) => kind === "dashboards" || kind === "alerts"),
    "action",
    "name",
    "code",
  );

it("a record that a rollback has restored does not count as edited: the next run writes it again", async () => {
  await using stage = await files();
  expect((await stage.apply()).exitCode).toBe(0);
  await editFile(stage, "alerts/busy.yaml", "threshold: 10", "threshold: 20");
  expect(writes(await stage.apply())).toEqual(["update Busy"]);
  const undone = await stage.undo();
  expect([undone.exitCode, documentOf(undone)["warnings"]]).toEqual([0, []]);
  expect((await listedRecord(stage.to, "alerts", "Busy"))["threshold"]).toBe(10);
  expect(writes(await stage.apply("--dry-run"))).toEqual(["update Busy"]);
  await editFile(stage, "alerts/busy.yaml", "threshold: 20", "threshold: 15");
  expect(writes(await stage.apply())).toEqual(["update Busy"]);
  expect((await listedRecord(stage.to, "alerts", "Busy"))["threshold"]).toBe(15);
});

it("records that a killed rollback has restored do not count as edited once the rollback is finished", async () => {
  await using stage = await files();
  expect((await stage.apply()).exitCode).toBe(0);
  for (const name of ["busy", "quiet"]) await editFile(stage, `alerts/${name}.yaml`, "threshold: 10", "threshold: 20");
  expect(writes(await stage.apply())).toEqual(["update Busy", "update Quiet"]);
  const state = await stateFileOf(stage);
  const before = await readFile(state, "utf8");
  let updates = 0;
  stage.watch = ({ method }, proceed) =>
    method === "PUT" && ++updates === 2 ? Response.json({ message: "no" }, { status: 400 }) : proceed();
  expect((await stage.undo()).exitCode).toBe(3);
  // A rollback that is killed leaves the state as it was.
  await writeFile(state, before);
  stage.watch = passThrough;
  expect((await stage.undo()).exitCode).toBe(0);
  expect(writes(await stage.apply("--dry-run"))).toEqual(["update Busy", "update Quiet"]);
});

it("a record that a rollback has deleted is created again by the next import", async () => {
  await using stage = await files();
  expect((await stage.apply()).exitCode).toBe(0);
  expect((await stage.undo()).exitCode).toBe(0);
  expect((await listRecords(stage.to, "dashboards")).map(({ name }) => name)).toEqual(["Three"]);
  expect((await stage.apply()).exitCode).toBe(0);
  expect(await namesIn(stage)).toEqual(["One", "Three", "Two"]);
});

it("a record from before the import is not deleted by a mirror after the rollback", async () => {
  await using stage = await files();
  const theirs = await listedRecord(stage.to, "dashboards", "Three");
  expect(writes(await stage.apply())).toContain("update Three");
  expect((await stage.undo()).exitCode).toBe(0);
  await stage.run(
    ["export", "--from", stage.to.stack, "--format", "code", "--out", "theirs", "--kinds", "dashboards"],
    {
      env: { ...stage.env, STACKFERRY_FROM_API_KEY: stage.to.apiKey ?? "" },
    },
  );
  await rm(join(stage.cwd, "files/alerts"), { recursive: true });
  await writeFile(
    join(stage.cwd, "files/dashboards/three.yaml"),
    await readFile(join(stage.cwd, "theirs/dashboards/three.yaml"), "utf8"),
  );
  expect(writes(await stage.apply())).not.toContain("update Three");
  await rm(join(stage.cwd, "files/dashboards/three.yaml"));
  await editFile(stage, "dashboards/one.yaml", "name: One", "name: First");
  await editFile(stage, "dashboards/two.yaml", "dashboard: One", "dashboard: First");
  const mirrored = await stage.apply("--mirror");
  expect(writes(mirrored)).toContain("skip Three not-ours");
  expect((await listedRecord(stage.to, "dashboards", "Three")).id).toBe(theirs.id);
});

it("a state file that cannot be written leads to a warning, and the rollback is done", async () => {
  await using stage = await files();
  expect((await stage.apply()).exitCode).toBe(0);
  await editFile(stage, "alerts/busy.yaml", "threshold: 10", "threshold: 20");
  expect((await stage.apply()).exitCode).toBe(0);
  await writeFile(await stateFileOf(stage), "{}\n", { mode: 0o600 });
  const undone = await stage.undo();
  expect([undone.exitCode, documentOf(undone)["warnings"]]).toMatchObject([0, [{ code: "state-unwritten" }]]);
  expect((await listedRecord(stage.to, "alerts", "Busy"))["threshold"]).toBe(10);
  await rm(await stateFileOf(stage));
  expect(documentOf(await stage.undo())["warnings"]).toEqual([]);
});

describe("a merge that a rollback has undone", () => {
  const merge = (stage: SmallBench, journal: string): Promise<CliRun> =>
    stage.run(stage.migration("--state", "s.json", "--journal", journal, "--on-conflict", "merge", "--yes"));
  const codeOfOne = (run: CliRun): unknown => outcomesOf(run).find(({ name }) => name === "One")?.code;
  const tilesOfOne = async ({ to }: SmallBench): Promise<unknown[]> =>
    ((await listedRecord(to, "dashboards", "One"))["tiles"] as { name: string }[]).map(({ name }) => name);
  async function renameTile(stack: SmallBench["to"], from: string, name: string): Promise<void> {
    const tiles = (await listedRecord(stack, "dashboards", "One"))["tiles"] as { name: string }[];
    const renamed = tiles.map((tile) => (tile.name === from ? { ...tile, name } : tile));
    await changeListedRecord(stack, "dashboards", "One", { tiles: renamed });
  }

  /** Merges the dashboard "One", which both sides have changed, in a run with the journal `j`. */
  async function mergedBench(): Promise<SmallBench> {
    const stage = await smallBench();
    expect((await merge(stage, "first")).exitCode).toBe(0);
    await changeListedRecord(stage.to, "dashboards", "One", { tags: ["theirs"] });
    await renameTile(stage.from, "Tile of One", "Ours");
    expect(codeOfOne(await merge(stage, "j"))).toBe("merged-parts");
    expect(await tilesOfOne(stage)).toEqual(["Ours", "Links of One"]);
    return stage;
  }

  it("can be done again, with the state before the first merge as the common version", async () => {
    await using stage = await mergedBench();
    expect((await stage.rollback()).exitCode).toBe(0);
    expect(await tilesOfOne(stage)).toEqual(["Tile of One", "Links of One"]);
    await renameTile(stage.to, "Links of One", "Theirs");
    expect(codeOfOne(await merge(stage, "again"))).toBe("merged-parts");
    expect(await tilesOfOne(stage)).toEqual(["Ours", "Theirs"]);
    expect((await listedRecord(stage.to, "dashboards", "One"))["tags"]).toEqual(["theirs"]);
  });

  it("leaves whatever differs, where a later run had merged once more and is not undone by itself", async () => {
    await using stage = await mergedBench();
    await renameTile(stage.from, "Ours", "Ours again");
    expect(codeOfOne(await merge(stage, "later"))).toBe("merged-parts");
    expect((await stage.rollback("--force")).exitCode).toBe(0);
    expect(codeOfOne(await merge(stage, "again"))).toBe("exists");
    expect(await tilesOfOne(stage)).toEqual(["Tile of One", "Links of One"]);
  });

  it("is done again with the alerts on the tiles that it had added", async () => {
    await using stage = await smallBench();
    const { id: _id, ...three } = await listedRecord(stage.from, "dashboards", "Three");
    const config = { displayType: "markdown", markdown: "mine" };
    const tiles = (three["tiles"] as object[]).map((tile) => ({ ...tile, id: undefined, name: "Mine", config }));
    await callSandbox(stage.to, "POST", "dashboards", { ...three, tiles });
    const written = ["create Busy", "create One", "create Quiet", "create Two", "update Three merged-parts"];
    expect(writes(await merge(stage, "j")).toSorted()).toEqual(written);
    expect((await stage.rollback()).exitCode).toBe(0);
    expect(writes(await merge(stage, "again")).toSorted()).toEqual(written);
  });
});
