import { chmod, mkdir, readFile, readdir, rename as moveFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { documentOf } from "../support/run-cli.ts";
import type { JsonObject } from "../support/import-stage.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";
import {
  appliedBench,
  changeListedRecord,
  editFile,
  listRecords,
  namesIn,
  outcomesOf,
  smallBench,
  stateFileOf,
  listedRecord,
  warningsOf,
  type SmallBench,
} from "../support/small-bench.ts";

/** Creates a bench with a configuration file, so that its runs keep a state, and runs the first migration. */
async function benchWithState() {
  const stage = await smallBench();
  await writeFile(join(stage.cwd, "stackferry.yaml"), "stacks: {}\n");
  const migrate: SmallBench["import"] = (...more) => stage.run(stage.migration(...more));
  const { exitCode, stderr } = await migrate();
  expect(exitCode, stderr).toBe(0);
  return Object.assign(stage, { migrate, path: await stateFileOf(stage) });
}

describe("the state file", () => {
  it("is private, holds no body, and lets a rename at the source be an update", async () => {
    await using stage = await benchWithState();
    expect((await stat(stage.path)).mode & 0o777).toBe(0o600);
    const text = await readFile(stage.path, "utf8");
    expect(text).not.toMatch(/displayType|above|"count"|hooks\.example/);
    expect(JSON.parse(text)).toMatchObject({ format: "stackferry-state", version: 1 });
    await changeListedRecord(stage.from, "dashboards", "One", { name: "First" });
    const dry = await stage.migrate("--on-conflict", "update", "--dry-run");
    expect(documentOf(dry)["updates"]).toMatchObject([{ name: "First", targetName: "One" }]);
    expect(await readFile(stage.path, "utf8")).toBe(text);
    const run = await stage.migrate("--on-conflict", "update");
    expect(run.exitCode, run.stdout).toBe(0);
    expect(documentOf(run)["state"]).toBe(stage.path);
    expect(await namesIn(stage)).toEqual(["First", "Three", "Two"]);
    expect(await listRecords(stage.to, "alerts")).toHaveLength(2);
    expect(await stateFileOf(stage)).toBe(stage.path);
  });

  it("is shared by an import of an archive of the same stack", async () => {
    await using stage = await benchWithState();
    await changeListedRecord(stage.from, "dashboards", "One", { name: "First" });
    await stage.run(["export", "--from", stage.from.stack, "--out", "b.zip"]);
    const args = ["import", "b.zip", "--to", stage.to.stack, "--on-conflict", "update"];
    expect((await stage.run(args)).exitCode).toBe(0);
    expect(await namesIn(stage)).toEqual(["First", "Three", "Two"]);
  });

  it("is not kept without a configuration file, unless it is named", async () => {
    await using stage = await smallBench();
    await stage.import();
    expect(await readdir(join(stage.cwd, ".stackferry"))).toEqual([".gitignore"]);
    await stage.import("--state", "s.json");
    expect(await readdir(stage.cwd)).toContain("s.json");
    await writeFile(join(stage.cwd, "stackferry.yaml"), "stacks: {}\n");
    await stage.import("--state", "none");
    expect(await readdir(join(stage.cwd, ".stackferry"))).toEqual([".gitignore"]);
  });

  it("gets the writes of a killed run from the journal, though the source has changed since", async () => {
    await using stage = await smallBench();
    await stage.writeFiles();
    const folder = join(stage.cwd, ".stackferry");
    const asBegun = new Map<string, string>();
    stage.watch = async (request, proceed) => {
      if (request.method === "POST") {
        for (const file of (await readdir(folder)).filter((name) => name.endsWith(".json"))) {
          asBegun.set(file, await readFile(join(folder, file), "utf8"));
        }
      }
      return proceed();
    };
    const runs = [
      () => stage.run(stage.migration("--on-conflict", "update")),
      () => stage.apply("--name-prefix", "Mine "),
    ];
    for (const run of runs) expect((await run()).exitCode).toBe(0);
    expect(asBegun.size).toBe(2);
    // A run that is killed leaves the state as the run wrote it when it began.
    for (const [file, text] of asBegun) await writeFile(join(folder, file), text);
    await changeListedRecord(stage.from, "dashboards", "Three", { name: "Third" });
    await editFile(stage, "dashboards/three.yaml", "name: Three", "name: Dritte");
    await editFile(stage, "alerts/quiet.yaml", "dashboard: Three", "dashboard: Dritte");
    for (const run of runs) expect((await run()).exitCode).toBe(0);
    expect(await namesIn(stage)).toEqual(["Mine Dritte", "Mine One", "Mine Two", "One", "Third", "Two"]);
    expect(await listRecords(stage.to, "alerts")).toHaveLength(4);
  });

  it("that cannot be written stops the run where it was named, and is a warning elsewhere", async () => {
    await using stage = await smallBench();
    await writeFile(join(stage.cwd, "stackferry.yaml"), "stacks: {}\n");
    await writeFile(join(stage.cwd, "f"), "a file in the place of the folder");
    expect((await stage.import("--state", "f/s.json")).exitCode).toBe(1);
    expect(await namesIn(stage)).toEqual([]);
    let isReplaced = false;
    stage.watch = async (request, proceed) => {
      if (request.method === "POST" && !isReplaced) {
        isReplaced = true;
        const path = await stateFileOf(stage);
        await rm(path);
        await mkdir(join(path, "a folder in the place of the file"), { recursive: true });
      }
      return proceed();
    };
    const run = await stage.import();
    expect(run.exitCode).toBe(0);
    expect(warningsOf(run)).toContain("state-unwritten");
    expect(await namesIn(stage)).toEqual(["One", "Three", "Two"]);
  });
});

describe("files that people write", () => {
  it("are matched by path, so a new name in a file is a rename, and so is a moved file", async () => {
    await using stage = await appliedBench();
    const before = await listRecords(stage.to, "dashboards");
    const rename = async (from: string, to: string, file: string): Promise<void> => {
      await editFile(stage, file, `name: ${from}`, `name: ${to}`);
      for (const each of ["alerts/busy.yaml", "dashboards/two.yaml"])
        await editFile(stage, each, `dashboard: ${from}`, `dashboard: ${to}`);
    };
    await rename("One", "First", "dashboards/one.yaml");
    const renamed = await stage.apply();
    expect(renamed.exitCode, renamed.stdout).toBe(0);
    expect(await namesIn(stage)).toEqual(["First", "Three", "Two"]);
    const after = await listRecords(stage.to, "dashboards");
    expect(new Set(after.map(({ id }) => id))).toEqual(new Set(before.map(({ id }) => id)));
    expect(await listRecords(stage.to, "alerts")).toHaveLength(2);
    const [here, there] = ["one", "moved"].map((name) => join(stage.cwd, `files/dashboards/${name}.yaml`));
    await moveFile(here ?? "", there ?? "");
    const moved = await stage.apply();
    expect(outcomesOf(moved).filter(({ action }) => action === "create" || action === "update")).toEqual([]);
    await rename("First", "Second", "dashboards/moved.yaml");
    expect((await stage.apply()).exitCode).toBe(0);
    expect(await namesIn(stage)).toEqual(["Second", "Three", "Two"]);
  });
});

describe("a stack's own files", () => {
  it("have tiles in an order of their own, and a new name is the one thing that changes", async () => {
    await using stage = await smallBench();
    await writeFile(join(stage.cwd, "stackferry.yaml"), "stacks: {}\n");
    const { tiles } = await listedRecord(stage.from, "dashboards", "Three");
    const [tile] = tiles as JsonObject[];
    await changeListedRecord(stage.from, "dashboards", "Three", {
      tiles: [
        { ...tile, name: "Below", y: 9 },
        { ...tile, id: undefined, name: "Above", y: 0 },
      ],
    });
    await stage.run(["export", "--from", stage.from.stack, "--format", "code", "--out", "files"]);
    const apply = (...more: string[]): ReturnType<SmallBench["run"]> =>
      stage.run(["apply", "files", "--to", stage.from.stack, ...more], { env: sandboxEnv(stage.from) });
    expect((await apply()).exitCode).toBe(0);
    await editFile(stage, "dashboards/three.yaml", "name: Three", "name: Third");
    const updates = documentOf(await apply("--dry-run"))["updates"];
    expect(updates).toMatchObject([{ name: "Third", members: [{ pointer: "/name" }] }]);
  });
});

describe("a state file that cannot be used leads to a warning, and the run goes on without it", () => {
  it("if it is empty, was changed by hand, can be written by others, or is a link", async () => {
    await using stage = await benchWithState();
    for (const [code, spoil] of [
      ["state-unproven", () => writeFile(stage.path, "")],
      [
        "state-unproven",
        async () => writeFile(stage.path, (await readFile(stage.path, "utf8")).replace("One", "Eins")),
      ],
      ["state-unreadable", () => chmod(stage.path, 0o666)],
      [
        "state-unreadable",
        async () => {
          await moveFile(stage.path, `${stage.path}.other`);
          await symlink(`${stage.path}.other`, stage.path);
        },
      ],
    ] as const) {
      await spoil();
      const run = await stage.migrate("--on-conflict", "update");
      expect(run.exitCode, run.stdout).toBe(0);
      expect(warningsOf(run)).toContain(code);
      expect(await namesIn(stage)).toEqual(["One", "Three", "Two"]);
    }
    expect(warningsOf(await stage.migrate()).filter((each) => each.startsWith("state-"))).toEqual([]);
  });

  it("if it is of another pair of stacks, and then it is not overwritten", async () => {
    await using stage = await benchWithState();
    const before = await readFile(stage.path, "utf8");
    const args = ["migrate", "--from", stage.to.stack, "--to", stage.from.stack, "--state", stage.path];
    const run = await stage.run(args, { env: envSwapped(stage) });
    expect(warningsOf(run)).toContain("state-foreign");
    expect(await readFile(stage.path, "utf8")).toBe(before);
  });

  it("if it is of another machine, unless it is trusted", async () => {
    await using stage = await benchWithState();
    await changeListedRecord(stage.from, "dashboards", "One", { name: "First" });
    const elsewhere = { XDG_STATE_HOME: join(stage.cwd, "elsewhere") };
    const env = { ...stage.env, ...elsewhere };
    const args = ["migrate", "--from", stage.from.stack, "--to", stage.to.stack, "--dry-run"];
    expect(warningsOf(await stage.run(args, { env }))).toContain("state-unproven");
    const trust = ["--state", stage.path, "--accept-foreign-state", "--on-conflict", "update"];
    const trusted = await stage.run([...args, ...trust], { env });
    expect(outcomesOf(trusted).filter(({ action }) => action === "update")).toMatchObject([{ name: "First" }]);
    expect((await stage.migrate("--accept-foreign-state")).exitCode).toBe(2);
  });
});

function envSwapped({ from, to }: SmallBench): Record<string, string> {
  return { STACKFERRY_FROM_API_KEY: to.apiKey ?? "", STACKFERRY_TO_API_KEY: from.apiKey ?? "" };
}
