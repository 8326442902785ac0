import { readFile, readdir, rename as moveFile, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { changeOn, recordOn, recordsOn, sortedNamesOn } from "../../support/on-stack.ts";
import { killRun } from "../../support/killed-run.ts";
import type { Sandbox } from "../../../src/sandbox/start-sandbox.ts";
import { documentOf } from "../../support/run-cli.ts";
import type { JsonObject } from "../../support/import-stage.ts";
import { sandboxEnv } from "../../support/program.ts";
import {
  programAfterApply,
  editFile,
  editJournal,
  programAfterImport,
  programAfterMigration,
  journalsIn,
  outcomesOf,
  programWithArchive,
  watchWrites,
  type ProgramWithArchive,
  programWithFiles,
} from "../../support/program-with-archive.ts";

/** Creates a program, and runs the first migration. */
async function stageAfterMigration() {
  const stage = await programAfterMigration();
  const migrate: ProgramWithArchive["import"] = (...more) => stage.run(stage.migration(...more));
  const [path = ""] = journalsIn(stage.cwd);
  return Object.assign(stage, { migrate, path });
}

const runsOf = (entries: readonly JsonObject[]): unknown[] =>
  entries.flatMap(({ type, run }) => (type === "begin" ? [run] : []));

describe("the journal of a pair", () => {
  it("is private, holds no body of a create, and lets a rename at the source be an update", async () => {
    await using stage = await stageAfterMigration();
    expect((await stat(stage.path)).mode & 0o777).toBe(0o600);
    const text = await readFile(stage.path, "utf8");
    expect(text).not.toMatch(/displayType|above|"count"|hooks\.example/);
    expect(stage.entries()[0]).toMatchObject({ type: "journal", format: "stackferry-journal", version: 1 });
    await changeOn(stage.from, "dashboards", { name: "First" }, "One");
    const dry = await stage.migrate("--dry-run");
    expect(documentOf(dry)["updates"]).toMatchObject([{ name: "First", targetName: "One" }]);
    expect(await readFile(stage.path, "utf8")).toBe(text);
    const run = await stage.migrate();
    expect(run.exitCode, run.stdout).toBe(0);
    expect(documentOf(run)["journal"]).toBe(stage.path);
    expect(await sortedNamesOn(stage.to)).toEqual(["First", "Three", "Two"]);
    expect(await recordsOn(stage.to, "alerts")).toHaveLength(2);
    expect(journalsIn(stage.cwd)).toEqual([stage.path]);
    expect(runsOf(stage.entries())).toEqual([1, 2]);
  });

  it("is shared by imports of other archives of the same stack, however they are made", async () => {
    await using stage = await stageAfterMigration();
    await changeOn(stage.from, "dashboards", { name: "First" }, "One");
    await stage.run(["export", "--from", stage.from.stack, "--out", "b.zip"]);
    expect((await stage.run(["import", "b.zip", "--to", stage.to.stack])).exitCode).toBe(0);
    expect(await sortedNamesOn(stage.to)).toEqual(["First", "Three", "Two"]);
    expect(journalsIn(stage.cwd)).toEqual([stage.path]);
  });

  it("lets an older archive take nothing back unasked", async () => {
    await using stage = await programWithArchive();
    await changeOn(stage.from, "dashboards", { tags: ["new"] }, "Three");
    await stage.run(["export", "--from", stage.from.stack, "--out", "b.zip"]);
    expect((await stage.run(["import", "b.zip", "--to", stage.to.stack])).exitCode).toBe(0);
    const older = await stage.import("--mirror");
    expect(outcomesOf(older)).toContainEqual(
      expect.objectContaining({ name: "Three", action: "skip", code: "exists" }),
    );
    expect(await recordOn(stage.to, "dashboards", "Three")).toMatchObject({ tags: ["new"] });
    expect((await stage.import("--on-conflict", "overwrite")).exitCode).toBe(0);
    expect(await recordOn(stage.to, "dashboards", "Three")).toMatchObject({ tags: ["kept"] });
  });

  it("is one of its own for a name prefix, under which copies are made once", async () => {
    await using stage = await stageAfterMigration();
    for (const _run of [1, 2]) expect((await stage.migrate("--name-prefix", "Copy of ")).exitCode).toBe(0);
    expect(journalsIn(stage.cwd)).toHaveLength(2);
    const copies = ["Copy of One", "Copy of Three", "Copy of Two"];
    expect(await sortedNamesOn(stage.to)).toEqual([...copies, "One", "Three", "Two"]);
    // The runs of all journals of a stack have numbers of their own.
    expect((await stage.run(["rollback", "--run", "2", "--to", stage.to.stack])).exitCode).toBe(0);
    expect(await sortedNamesOn(stage.to)).toEqual(["One", "Three", "Two"]);
  });

  it("gets no line from a run that wrote and saw nothing new, nor from a dry run", async () => {
    await using stage = await programAfterImport();
    const [path = ""] = journalsIn(stage.cwd);
    const text = await readFile(path, "utf8");
    expect((await stage.import()).exitCode).toBe(0);
    expect((await stage.import("--dry-run")).exitCode).toBe(0);
    expect(await readFile(path, "utf8")).toBe(text);
    await using other = await programWithArchive();
    expect((await other.import("--dry-run")).exitCode).toBe(0);
    expect(await readdir(other.cwd)).toEqual(["a.zip"]);
  });

  it("lies in `.stackferry` beside the configuration, or where --journals says, with a .gitignore", async () => {
    await using stage = await programWithArchive();
    await stage.import();
    const name = basename(journalsIn(stage.cwd)[0] ?? "");
    expect((await readdir(join(stage.cwd, ".stackferry"))).toSorted()).toEqual([name, ".gitignore"].toSorted());
    expect(await readFile(join(stage.cwd, ".stackferry", ".gitignore"), "utf8")).toBe("*\n");
    await stage.import("--journals", "elsewhere");
    expect((await readdir(join(stage.cwd, "elsewhere"))).toSorted()).toEqual([name, ".gitignore"].toSorted());
    await writeFile(join(stage.cwd, "stackferry.yaml"), "journals: third\n");
    await stage.import();
    expect(await readdir(join(stage.cwd, "third"))).toContain(name);
  });

  it("is that of two addresses: a stack has one under each of its names, and a name that leads elsewhere another", async () => {
    await using stage = await programWithArchive();
    await stage.import();
    const names = journalsIn(stage.cwd);
    const importAs = async ({ url, apiKey }: Sandbox): Promise<void> => {
      const stack = { variant: "self-hosted", baseUrl: url, apiKey };
      const config = JSON.stringify({ stacks: { production: stack } });
      await writeFile(join(stage.cwd, "stackferry.yaml"), config, { mode: 0o600 });
      expect((await stage.run(["import", "a.zip", "--to", "production"])).exitCode).toBe(0);
    };
    await importAs(stage.to);
    expect(journalsIn(stage.cwd)).toEqual(names);
    await importAs(stage.from);
    expect(journalsIn(stage.cwd)).toHaveLength(2);
  });

  it("knows the writes of a killed run, though the source has changed since", async () => {
    await using stage = await programWithFiles();
    const runs = [() => stage.run(stage.migration()), () => stage.apply("--name-prefix", "Mine ")];
    // The alerts are not written.
    for (const run of runs)
      await killRun(stage, ({ method, route }) => method === "POST" && route === "POST alerts", run);
    await changeOn(stage.from, "dashboards", { name: "Third" }, "Three");
    await editFile(stage, "dashboards/three.yaml", "name: Three", "name: Dritte");
    await editFile(stage, "alerts/quiet.yaml", "dashboard: Three", "dashboard: Dritte");
    for (const run of runs) expect((await run()).exitCode).toBe(0);
    expect(await sortedNamesOn(stage.to)).toEqual(["Mine Dritte", "Mine One", "Mine Two", "One", "Third", "Two"]);
    const alerts = await recordsOn(stage.to, "alerts");
    expect(new Set(alerts.map(({ name, dashboardId }) => `${name} ${String(dashboardId)}`)).size).toBe(4);
  });

  it("in a folder that cannot be written ends the run before any request", async () => {
    await using stage = await programWithArchive();
    await writeFile(join(stage.cwd, "f"), "a file in the place of the folder");
    const run = documentOf(await stage.import("--journals", "f/deep"));
    expect(run).toMatchObject({ exitCode: 2, error: { code: "journal", hint: expect.stringContaining("journals:") } });
    expect(stage.to.stats().total).toBe(0);
  });

  it("keeps the last 20 runs, of which each can be undone, and what is known of every record", async () => {
    await using stage = await stageAfterMigration();
    for (const tag of ["odd", "even"]) {
      await changeOn(stage.from, "dashboards", { tags: [tag] }, "Three");
      await stage.run(["export", "--from", stage.from.stack, "--out", `${tag}.zip`]);
    }
    const only = ["--include", "Three", "--kinds", "dashboards", "--on-conflict", "overwrite"];
    const importTag = async (tag: string): Promise<void> =>
      expect((await stage.run(["import", `${tag}.zip`, "--to", stage.to.stack, ...only])).exitCode).toBe(0);
    for (const tag of ["even", "odd"]) await importTag(tag);
    // The runs 4 to 41 are as these two.
    await editJournal(stage, (text) => {
      const [, even = "", odd = ""] = text.split(/^(?=.*"type":"begin")/m).slice(1);
      const more = Array.from({ length: 38 }, (_, index) =>
        (index % 2 === 0 ? even : odd).replace(/"run":\d+/, `"run":${index + 4}`),
      );
      return text + more.join("");
    });
    await importTag("even");
    const runs = runsOf(stage.entries());
    expect(runs.length).toBeLessThan(42);
    expect(runs.slice(-20)).toEqual(Array.from({ length: 20 }, (_, index) => 23 + index));
    const writes = watchWrites(stage);
    expect((await stage.migrate()).exitCode).toBe(0);
    expect(writes).toEqual([]);
    expect((await stage.run(["rollback", "--run", "42", "--to", stage.to.stack])).exitCode).toBe(0);
    expect(await recordOn(stage.to, "dashboards", "Three")).toMatchObject({ tags: ["odd"] });
  });
});

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
    const [here, there] = ["one", "moved"].map((name) => join(stage.cwd, `files/dashboards/${name}.yaml`));
    await moveFile(here ?? "", there ?? "");
    const moved = await stage.apply();
    expect(outcomesOf(moved).filter(({ action }) => action === "create" || action === "update")).toEqual([]);
    await rename("First", "Second", "dashboards/moved.yaml");
    expect((await stage.apply()).exitCode).toBe(0);
    expect(await sortedNamesOn(stage.to)).toEqual(["Second", "Three", "Two"]);
  });
});

describe("a stack's own files", () => {
  it("have tiles in an order of their own, and a new name is the one thing that changes", async () => {
    await using stage = await programWithArchive();
    const { tiles } = await recordOn(stage.from, "dashboards", "Three");
    const [tile] = tiles as JsonObject[];
    await changeOn(
      stage.from,
      "dashboards",
      {
        tiles: [
          { ...tile, name: "Below", y: 9 },
          { ...tile, id: undefined, name: "Above", y: 0 },
        ],
      },
      "Three",
    );
    await stage.run(["export", "--from", stage.from.stack, "--format", "code", "--out", "files"]);
    const apply = (...more: string[]): ReturnType<ProgramWithArchive["run"]> =>
      stage.run(["apply", "files", "--to", stage.from.stack, ...more], { env: sandboxEnv(stage.from) });
    expect((await apply()).exitCode).toBe(0);
    await editFile(stage, "dashboards/three.yaml", "name: Three", "name: Third");
    const updates = documentOf(await apply("--dry-run"))["updates"];
    expect(updates).toMatchObject([{ name: "Third", members: [{ pointer: "/name" }] }]);
  });
});
