import { readFile, rename as moveFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import type { JsonObject } from "../../support/import-stage.ts";
import { killRun } from "../../support/killed-run.ts";
import { changeOn, recordOn, recordsOn, sortedNamesOn } from "../../support/on-stack.ts";
import { sandboxEnv } from "../../support/program.ts";
import {
  editFile,
  outcomesOf,
  programAfterApply,
  programWithArchive,
  programWithFiles,
  type ProgramWithArchive,
} from "../../support/program-with-archive.ts";
import { documentOf, type CliRun } from "../../support/run-cli.ts";

describe("files that people write", () => {
  it("are matched by path, so a new name in a file is a rename, and so is a moved file", async () => {
    await using stage = await programAfterApply();
    const before = await recordsOn(stage.to, "dashboards");
    const rename = async (from: string, to: string, file: string): Promise<void> => {
      await editFile(stage, file, `name: ${from}`, `name: ${to}`);
      for (const each of ["alerts/busy.yaml", "dashboards/two.yaml"])
        await editFile(stage, each, `dashboard: ${from}`, `dashboard: ${to}`);
    };
    await rename("One", "First", "dashboards/one.yaml");
    const renamed = await stage.apply();
    expect(renamed.exitCode, renamed.stdout).toBe(0);
    expect(await sortedNamesOn(stage.to)).toEqual(["First", "Three", "Two"]);
    const after = await recordsOn(stage.to, "dashboards");
    expect(new Set(after.map(({ id }) => id))).toEqual(new Set(before.map(({ id }) => id)));
    expect(await recordsOn(stage.to, "alerts")).toHaveLength(2);
    const dashboards = join(stage.cwd, "files/dashboards");
    await moveFile(join(dashboards, "one.yaml"), join(dashboards, "moved.yaml"));
    const moved = await stage.apply();
    expect(outcomesOf(moved).filter(({ action }) => action === "create" || action === "update")).toEqual([]);
    await rename("First", "Second", "dashboards/moved.yaml");
    expect((await stage.apply()).exitCode).toBe(0);
    expect(await sortedNamesOn(stage.to)).toEqual(["Second", "Three", "Two"]);
  });

  it("keep the ids of tiles, and so their alerts, when a tile is inserted on top", async () => {
    await using stage = await programAfterApply();
    const before = await recordOn(stage.to, "dashboards", "Three");
    const path = join(stage.cwd, "files/dashboards/three.yaml");
    const file = parse(await readFile(path, "utf8")) as { tiles: JsonObject[] };
    const [tile = {}] = file.tiles;
    const tiles = [
      { ...tile, name: "On top" },
      { ...tile, y: 3 },
    ];
    await writeFile(path, stringify({ ...file, tiles }));
    const run = await stage.apply();
    expect(run.exitCode, JSON.stringify(outcomesOf(run))).toBe(0);
    const after = await recordOn(stage.to, "dashboards", "Three");
    const idOfRequests = (body: JsonObject): unknown =>
      (body["tiles"] as JsonObject[]).find(({ name }) => name === "Requests")?.["id"];
    expect((after["tiles"] as JsonObject[]).map(({ name }) => String(name)).toSorted()).toEqual(["On top", "Requests"]);
    expect(idOfRequests(after)).toBe(idOfRequests(before));
    expect((await recordOn(stage.to, "alerts", "Quiet"))["tileId"]).toBe(idOfRequests(before));
  });

  it("end with 3 where a record is kept, an import with 0", async () => {
    await using stage = await programAfterApply();
    await changeOn(stage.to, "dashboards", { tags: ["theirs"] }, "Three");
    expect((await stage.apply("--on-conflict", "keep")).exitCode).toBe(3);
    expect((await stage.import("--yes")).exitCode).toBe(0);
  });

  it("have a journal that knows the writes of a killed run, though the files, or the source, have changed since", async () => {
    await using stage = await programWithFiles();
    const runs = [() => stage.run(stage.migration()), () => stage.apply("--name-prefix", "Mine ")];
    // The alerts are not written.
    for (const run of runs) await killRun(stage, ({ route }) => route === "POST alerts", run);
    await changeOn(stage.from, "dashboards", { name: "Third" }, "Three");
    await editFile(stage, "dashboards/three.yaml", "name: Three", "name: Dritte");
    await editFile(stage, "alerts/quiet.yaml", "dashboard: Three", "dashboard: Dritte");
    for (const run of runs) expect((await run()).exitCode).toBe(0);
    expect(await sortedNamesOn(stage.to)).toEqual(["Mine Dritte", "Mine One", "Mine Two", "One", "Third", "Two"]);
    const alerts = await recordsOn(stage.to, "alerts");
    expect(new Set(alerts.map(({ name, dashboardId }) => `${name} ${String(dashboardId)}`)).size).toBe(4);
  });
});

describe("a stack's own files", () => {
  /** Applies the files to the stack from which they were exported. */
  const applyToSource = (stage: ProgramWithArchive, ...more: string[]): Promise<CliRun> =>
    stage.run(["apply", "files", "--to", stage.from.stack, ...more], { env: sandboxEnv(stage.from) });

  it("have tiles in an order of their own, and a new name is the one thing that changes", async () => {
    await using stage = await programWithArchive();
    const [tile] = (await recordOn(stage.from, "dashboards", "Three"))["tiles"] as JsonObject[];
    const tiles = [
      { ...tile, name: "Below", y: 9 },
      { ...tile, id: undefined, name: "Above", y: 0 },
    ];
    await changeOn(stage.from, "dashboards", { tiles }, "Three");
    await stage.run(["export", "--from", stage.from.stack, "--format", "code", "--out", "files"]);
    expect((await applyToSource(stage)).exitCode).toBe(0);
    await editFile(stage, "dashboards/three.yaml", "name: Three", "name: Third");
    const updates = documentOf(await applyToSource(stage, "--dry-run"))["updates"];
    expect(updates).toMatchObject([{ name: "Third", members: [{ pointer: "/name" }] }]);
  });

  it("are ours once an apply has written the record, and then a mirror deletes it without its file", async () => {
    await using stage = await programWithFiles();
    expect(documentOf(await applyToSource(stage))).toMatchObject({ exitCode: 0, counts: { unchanged: 5 } });
    await editFile(stage, "dashboards/three.yaml", "kept", "other");
    await editFile(stage, "alerts/quiet.yaml", "threshold: 10", "threshold: 11");
    expect(documentOf(await applyToSource(stage))).toMatchObject({ exitCode: 0, counts: { update: 2 } });
    for (const file of ["dashboards/three.yaml", "alerts/quiet.yaml", "alerts/busy.yaml"])
      await rm(join(stage.cwd, "files", file));
    const run = await applyToSource(stage, "--mirror", "--max-delete", "9");
    const actions = new Map(outcomesOf(run).map(({ name, action }) => [name, action]));
    expect([actions.get("Three"), actions.get("Quiet")]).toEqual(["delete", "delete"]);
    // No import has written this alert: all that ever happened to it was to be found equal.
    expect((await recordOn(stage.from, "alerts", "Busy")).name).toBe("Busy");
  });
});
