import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callSandbox } from "../../support/read-sandbox.ts";
import { changeOn, recordOn, recordsOn, sortedNamesOn } from "../../support/on-stack.ts";
import { documentOf, type CliRun } from "../../support/run-cli.ts";
import {
  editFile,
  passThrough,
  outcomesOf,
  programWithArchive,
  type ProgramWithArchive,
  programWithFiles,
} from "../../support/program-with-archive.ts";
import { outcomeLines } from "../../support/import-stage.ts";

/** Writes the source's code files. The target has a dashboard "Three" of its own. */
async function files(): Promise<ProgramWithArchive> {
  const stage = await programWithFiles();
  const { id: _id, ...three } = await recordOn(stage.from, "dashboards", "Three");
  const tiles = (three["tiles"] as object[]).map((tile) => ({
    ...tile,
    id: undefined,
    config: { displayType: "markdown", markdown: "mine" },
  }));
  await callSandbox(stage.to, "POST", "dashboards", { ...three, tiles });
  return stage;
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
  const undone = await stage.rollback();
  expect([undone.exitCode, documentOf(undone)["warnings"]]).toEqual([0, []]);
  expect((await recordOn(stage.to, "alerts", "Busy"))["threshold"]).toBe(10);
  expect(writes(await stage.apply("--dry-run"))).toEqual(["update Busy"]);
  await editFile(stage, "alerts/busy.yaml", "threshold: 20", "threshold: 15");
  expect(writes(await stage.apply())).toEqual(["update Busy"]);
  expect((await recordOn(stage.to, "alerts", "Busy"))["threshold"]).toBe(15);
});

it("records that a rollback restored in two goes do not count as edited", async () => {
  await using stage = await files();
  expect((await stage.apply()).exitCode).toBe(0);
  for (const name of ["busy", "quiet"]) await editFile(stage, `alerts/${name}.yaml`, "threshold: 10", "threshold: 20");
  expect(writes(await stage.apply())).toEqual(["update Busy", "update Quiet"]);
  let updates = 0;
  stage.watch = ({ method }, proceed) =>
    method === "PUT" && ++updates === 2 ? Response.json({ message: "no" }, { status: 400 }) : proceed();
  expect((await stage.rollback()).exitCode).toBe(3);
  stage.watch = passThrough;
  expect((await stage.rollback()).exitCode).toBe(0);
  expect(writes(await stage.apply("--dry-run"))).toEqual(["update Busy", "update Quiet"]);
});

it("a record that a rollback has deleted is created again by the next import", async () => {
  await using stage = await files();
  expect((await stage.apply()).exitCode).toBe(0);
  expect((await stage.rollback()).exitCode).toBe(0);
  expect((await recordsOn(stage.to, "dashboards")).map(({ name }) => name)).toEqual(["Three"]);
  expect((await stage.apply()).exitCode).toBe(0);
  expect(await sortedNamesOn(stage.to)).toEqual(["One", "Three", "Two"]);
});

it("a record from before the import is not deleted by a mirror after the rollback", async () => {
  await using stage = await files();
  const theirs = await recordOn(stage.to, "dashboards", "Three");
  expect(writes(await stage.apply())).toContain("update Three");
  expect((await stage.rollback()).exitCode).toBe(0);
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
  expect(writes(mirrored)).toContain("skip Three kept");
  expect((await recordOn(stage.to, "dashboards", "Three")).id).toBe(theirs.id);
});

describe("a merge that a rollback has undone", () => {
  const merge = (stage: ProgramWithArchive): Promise<CliRun> =>
    stage.run(stage.migration("--on-conflict", "merge", "--yes"));
  const codeOfOne = (run: CliRun): unknown => outcomesOf(run).find(({ name }) => name === "One")?.code;
  const tilesOfOne = async ({ to }: ProgramWithArchive): Promise<unknown[]> =>
    ((await recordOn(to, "dashboards", "One"))["tiles"] as { name: string }[]).map(({ name }) => name);
  async function renameTile(stack: ProgramWithArchive["to"], from: string, name: string): Promise<void> {
    const tiles = (await recordOn(stack, "dashboards", "One"))["tiles"] as { name: string }[];
    const renamed = tiles.map((tile) => (tile.name === from ? { ...tile, name } : tile));
    await changeOn(stack, "dashboards", { tiles: renamed }, "One");
  }

  /** Merges the dashboard "One", which both sides have changed, in run 2. */
  async function programAfterMerge(): Promise<ProgramWithArchive> {
    const stage = await programWithArchive();
    expect((await merge(stage)).exitCode).toBe(0);
    await changeOn(stage.to, "dashboards", { tags: ["theirs"] }, "One");
    await renameTile(stage.from, "Tile of One", "Ours");
    expect(codeOfOne(await merge(stage))).toBe("kept");
    expect(await tilesOfOne(stage)).toEqual(["Ours", "Links of One"]);
    return stage;
  }

  it("can be done again, with the state before the first merge as the common version", async () => {
    await using stage = await programAfterMerge();
    expect((await stage.rollback()).exitCode).toBe(0);
    expect(await tilesOfOne(stage)).toEqual(["Tile of One", "Links of One"]);
    await renameTile(stage.to, "Links of One", "Theirs");
    expect(codeOfOne(await merge(stage))).toBe("kept");
    expect(await tilesOfOne(stage)).toEqual(["Ours", "Theirs"]);
    expect((await recordOn(stage.to, "dashboards", "One"))["tags"]).toEqual(["theirs"]);
  });

  it("is undone only after a later run that merged once more, and then merged again", async () => {
    await using stage = await programAfterMerge();
    await renameTile(stage.from, "Ours", "Ours again");
    expect(codeOfOne(await merge(stage))).toBe("kept");
    const early = await stage.rollback("--run", "2");
    expect([early.exitCode, codeOfOne(early)]).toEqual([3, "later-run"]);
    expect(await tilesOfOne(stage)).toEqual(["Ours again", "Links of One"]);
    for (const run of ["3", "2"]) expect((await stage.rollback("--run", run)).exitCode).toBe(0);
    expect(await tilesOfOne(stage)).toEqual(["Tile of One", "Links of One"]);
    expect(codeOfOne(await merge(stage))).toBe("kept");
    expect(await tilesOfOne(stage)).toEqual(["Ours again", "Links of One"]);
    expect((await recordOn(stage.to, "dashboards", "One"))["tags"]).toEqual(["theirs"]);
  });

  it("is done again with the alerts on the tiles that it had added", async () => {
    await using stage = await programWithArchive();
    const { id: _id, ...three } = await recordOn(stage.from, "dashboards", "Three");
    const config = { displayType: "markdown", markdown: "mine" };
    const tiles = (three["tiles"] as object[]).map((tile) => ({ ...tile, id: undefined, name: "Mine", config }));
    await callSandbox(stage.to, "POST", "dashboards", { ...three, tiles });
    const written = ["create Busy", "create One", "create Quiet", "create Two", "update Three kept"];
    expect(writes(await merge(stage)).toSorted()).toEqual(written);
    expect((await stage.rollback()).exitCode).toBe(0);
    expect(writes(await merge(stage)).toSorted()).toEqual(written);
  });
});
