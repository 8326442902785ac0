import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callSandbox } from "../../support/read-sandbox.ts";
import { changeOn, recordOn, sortedNamesOn } from "../../support/on-stack.ts";
import { tileIds, type JsonObject } from "../../support/import-stage.ts";
import { targetIds } from "../../support/stack-records.ts";
import { isUpdate, killRun } from "../../support/killed-run.ts";
import { documentOf } from "../../support/run-cli.ts";
import { sandboxEnv } from "../../support/program.ts";
import {
  journalsIn,
  outcomeLinesOf,
  outcomesOf,
  programAfterMigration,
  programWithArchive,
  watchWrites,
  type ProgramWithArchive,
} from "../../support/program-with-archive.ts";

/** Migrates a stack to another, and then renames the dashboard "One" on the target. */
async function migratedAndRenamed(): Promise<ProgramWithArchive> {
  const program = await programAfterMigration();
  await changeOn(program.to, "dashboards", { name: "First", tags: ["new"] }, "One");
  return program;
}

const back = (program: ProgramWithArchive, ...more: string[]) =>
  program.run(["migrate", "--from", program.to.stack, "--to", program.from.stack, ...more], {
    env: sandboxEnv(program.to, program.from),
  });

/** Returns the tiles of "Two" on the first stack, as text that holds the ids to which they link. */
const linksOfTwo = async ({ from }: ProgramWithArchive): Promise<string> =>
  JSON.stringify((await recordOn(from, "dashboards", "Two"))["tiles"]);

describe("a migration back", () => {
  it("recognises what was renamed meanwhile, and doubles neither the dashboard nor its alert", async () => {
    await using program = await migratedAndRenamed();
    // A map file precedes the other direction's journal.
    const three = (await recordOn(program.from, "dashboards", "Three")).id;
    await writeFile(join(program.cwd, "map.yaml"), `dashboards:\n  First: ${three}\n`);
    const mapped = await back(program, "--map", "map.yaml", "--dry-run", "--on-conflict", "overwrite");
    const first = { action: "update", targetId: three };
    expect(outcomesOf(mapped).find(({ name }) => name === "First")).toMatchObject(first);
    const run = await back(program);
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
    expect(await sortedNamesOn(program.from)).toEqual(["One", "Three", "Two"]);
    expect(await sortedNamesOn(program.from, "alerts")).toEqual(["Busy", "Quiet"]);
  });

  it("overwrites it with --on-conflict overwrite, and leaves the links of others where they lead", async () => {
    await using program = await migratedAndRenamed();
    const [one, links] = [await recordOn(program.from, "dashboards", "One"), await linksOfTwo(program)];
    expect((await back(program, "--on-conflict", "overwrite")).exitCode).toBe(0);
    expect((await recordOn(program.from, "dashboards", "First")).id).toBe(one.id);
    expect(await linksOfTwo(program)).toBe(links);
    expect(await sortedNamesOn(program.from, "alerts")).toEqual(["Busy", "Quiet"]);
    const writes = watchWrites(program);
    expect((await back(program, "--on-conflict", "overwrite")).exitCode).toBe(0);
    expect(writes).toEqual([]);
  });

  it("keeps the tiles' ids too, and so the alerts on them, though a tile has another name and query", async () => {
    await using program = await migratedAndRenamed();
    const before = await recordOn(program.from, "dashboards", "One");
    const [tile, ...others] = (await recordOn(program.to, "dashboards", "First"))["tiles"] as JsonObject[];
    const select = [{ aggFn: "sum", valueExpression: "v" }];
    const config = { displayType: "number", sourceId: targetIds.source, select };
    await changeOn(program.to, "dashboards", { tiles: [{ ...tile, name: "Other", config }, ...others] }, "First");
    expect((await back(program, "--on-conflict", "overwrite")).exitCode).toBe(0);
    const after = await recordOn(program.from, "dashboards", "First");
    expect(tileIds(after)).toEqual(tileIds(before));
    expect(after).toMatchObject({ id: before.id, tiles: [{ name: "Other" }, {}] });
    expect(await recordOn(program.from, "alerts", "Busy")).toMatchObject({ tileId: tileIds(before)[0] });
  });

  it("deletes nothing that only the other direction's journal knows", async () => {
    await using program = await migratedAndRenamed();
    const { id } = await recordOn(program.to, "alerts", "Quiet");
    await callSandbox(program.to, "DELETE", `alerts/${id}`);
    // The first run back has no journal of its own direction.
    expect((await back(program, "--mirror")).exitCode).toBe(3);
    expect((await back(program, "--mirror")).exitCode).toBe(0);
    expect((await back(program, "--mirror", "--on-conflict", "overwrite")).exitCode).toBe(0);
    expect(await sortedNamesOn(program.from, "alerts")).toEqual(["Busy", "Quiet"]);
  });

  it("recognises records that a killed run of the other direction wrote", async () => {
    await using program = await programWithArchive();
    await killRun(program, isUpdate, () => program.run(program.migration()));
    await changeOn(program.to, "dashboards", { name: "First", tags: ["new"] }, "One");
    expect((await back(program)).exitCode).toBe(0);
    expect(await sortedNamesOn(program.from)).toEqual(["One", "Three", "Two"]);
  });
});

describe("the journal of the other direction", () => {
  it("is refused, with the command that mends it, where somebody else could have written it", async () => {
    await using program = await migratedAndRenamed();
    const [path = ""] = journalsIn(program.cwd);
    await chmod(path, 0o644);
    const run = documentOf(await back(program, "--dry-run"));
    expect(run).toMatchObject({ exitCode: 2, error: { code: "journal", hint: expect.stringContaining("chmod 600") } });
    await chmod(path, 0o600);
    expect((await back(program, "--dry-run")).exitCode).toBe(0);
  });

  it("is not used by a run with a name prefix, which creates its own records", async () => {
    await using program = await migratedAndRenamed();
    expect((await back(program, "--name-prefix", "Copy of ")).exitCode).toBe(0);
    const copies = ["Copy of First", "Copy of Three", "Copy of Two"];
    expect(await sortedNamesOn(program.from)).toEqual([...copies, "One", "Three", "Two"]);
  });
});
