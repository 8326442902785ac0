import { readFileSync } from "node:fs";
import { writeFile, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { callSandbox } from "../../support/read-sandbox.ts";
import { changeOn, recordOn, recordsOn, sortedNamesOn } from "../../support/on-stack.ts";
import { board, usualTarget } from "../../support/import-samples.ts";
import { importStage, writesDuring, type StageRun } from "../../support/import-stage.ts";
import { namesOn, putRecord, runKilled } from "../../support/memory-stack.ts";
import { alertOn, archive, linkingBoard } from "../../support/mirror-stage.ts";
import { rollBackJournal } from "../../support/rollback-runs.ts";
import { documentOf } from "../../support/run-cli.ts";
import {
  editJournal,
  emptySeed,
  programAfterImport,
  isWrite,
  journalsIn,
  passThrough,
  outcomesOf,
  refuseRoute,
  programWithArchive,
  warningCodes,
  type ProgramWithArchive,
} from "../../support/program-with-archive.ts";
import { alert, dashboard, hexId, tileWith, archiveIds, targetIds } from "../../support/stack-records.ts";

const journalOf = ({ cwd }: ProgramWithArchive): string => journalsIn(cwd)[0] ?? "";

/**
 * Runs an import that is killed at its nth write: afterwards the journal is put back to what it was at that moment. Returns
 * whether the import sent that many writes.
 */
async function killAt(
  program: ProgramWithArchive,
  nth: number,
  moment: "before" | "after",
  ...more: string[]
): Promise<boolean> {
  let writes = 0;
  let journalAtKill: string | undefined;
  const dead = (): Response => Response.json({ message: "the program is gone" }, { status: 403 });
  program.watch = async (request, proceed) => {
    if (journalAtKill !== undefined) return dead();
    if (!isWrite(request) || (writes += 1) < nth) return proceed();
    if (writes > nth) return dead();
    if (moment === "after") await proceed();
    journalAtKill = readFileSync(journalOf(program), "utf8");
    return dead();
  };
  await program.import(...more);
  program.watch = passThrough;
  if (journalAtKill !== undefined) await writeFile(journalOf(program), journalAtKill);
  return journalAtKill !== undefined;
}

async function clickOf(program: ProgramWithArchive, name: string): Promise<string> {
  const { tiles } = (await recordOn(program.to, "dashboards", name)) as unknown as {
    tiles: { config: { onClick?: { target: { id: string } } } }[];
  };
  return tiles[1]?.config.onClick?.target.id ?? "";
}

describe("an import that is killed at a write", () => {
  const linked = linkingBoard(16, hexId("a", 17));
  const busy = alert(hexId("a", 1016), "Alert 16", linked, archiveIds.webhook);
  const five = archive([linked, linkingBoard(17, hexId("a", 16)), board(18)], [busy, alertOn(18)]);
  const kills = [1, 2, 3, 4, 5, 6].flatMap((nth) => [[nth, "before"] as const, [nth, "after"] as const]);

  it.each(kills)(
    "number %i, %s the stack has carried it out, is finished by the next run and undone as a whole",
    async (nth, moment) => {
      const stack = usualTarget();
      const stage = importStage(stack);
      const run = (): Promise<StageRun> => stage.run(five, { concurrency: 1 });
      await runKilled(stack, moment, /^(?:create|update) /, run, nth);
      expect((await run()).exitCode).toBe(0);
      expect(sortedNamesOn(stack)).toEqual(["Board 16", "Board 17", "Board 18"]);
      expect(sortedNamesOn(stack, "alerts")).toEqual(["Alert 16", "Alert 18"]);
      const [one, two] = ["Board 16", "Board 17"].map((name) => recordOn(stack, "dashboards", name));
      expect(JSON.stringify(one)).toContain(two?.id);
      expect(JSON.stringify(two)).toContain(one?.id);
      expect(await writesDuring(stack, run)).toEqual([]);
      expect((await rollBackJournal(stack, stage.history)).exitCode).toBe(0);
      expect([...namesOn(stack), ...namesOn(stack, "alerts")]).toEqual([]);
    },
  );
});

describe("an import whose process is killed at a write", () => {
  it.each([
    [1, "before"],
    [6, "after"],
  ] as const)("number %i, %s its response, is finished by the next run and undone as a whole", async (nth, moment) => {
    await using program = await programWithArchive();
    expect(await killAt(program, nth, moment)).toBe(true);
    expect(documentOf(await program.import())).toMatchObject({ exitCode: 0 });
    expect(await sortedNamesOn(program.to)).toEqual(["One", "Three", "Two"]);
    expect(await sortedNamesOn(program.to, "alerts")).toEqual(["Busy", "Quiet"]);
    expect(await clickOf(program, "One")).toBe((await recordOn(program.to, "dashboards", "Two")).id);
    expect(documentOf(await program.import())).toMatchObject({ exitCode: 0, counts: { unchanged: 5 } });
    expect(documentOf(await program.rollback())).toMatchObject({ exitCode: 0, counts: { delete: 5 } });
    expect([...(await sortedNamesOn(program.to)), ...(await sortedNamesOn(program.to, "alerts"))]).toEqual([]);
  });

  it("is undone by a rollback at once, including writes without a recorded end", async () => {
    await using program = await programWithArchive();
    expect(await killAt(program, 5, "after")).toBe(true);
    const there = (await sortedNamesOn(program.to)).length + (await sortedNamesOn(program.to, "alerts")).length;
    expect(there).toBeGreaterThan(3);
    expect(documentOf(await program.rollback())).toMatchObject({ exitCode: 0, counts: { delete: there } });
    expect([...(await sortedNamesOn(program.to)), ...(await sortedNamesOn(program.to, "alerts"))]).toEqual([]);
  });

  it("and whose journal's last line was cut off with it, is finished too", async () => {
    await using program = await programWithArchive();
    expect(await killAt(program, 4, "after")).toBe(true);
    await editJournal(program, (text) => `${text}{"type":"done","at":"20`);
    expect((await program.import()).exitCode).toBe(0);
    expect(await recordsOn(program.to, "dashboards")).toHaveLength(3);
    expect(await recordsOn(program.to, "alerts")).toHaveLength(2);
  });

  it("is recorded in the journal by the next run, so that a later change is recognised", async () => {
    await using program = await programWithArchive();
    const only = ["--include", "Three", "--kinds", "dashboards"];
    expect(await killAt(program, 1, "after", ...only)).toBe(true);
    expect(documentOf(await program.import(...only))).toMatchObject({ exitCode: 0, counts: { unchanged: 1 } });
    expect(program.entries().filter(({ type }) => type === "done")).toMatchObject([{ write: "create" }]);
    await changeOn(program.to, "dashboards", { tags: ["later"] }, "Three");
    expect(outcomesOf(await program.rollback())).toMatchObject([{ name: "Three", code: "changed-since" }]);
    expect(documentOf(await program.rollback("--force"))).toMatchObject({ counts: { delete: 1 } });
  });

  it("between an update and its answer still knows what it replaced", async () => {
    const theirs = dashboard(hexId("b", 18), "Three", targetIds.source, { tags: ["theirs"] });
    await using program = await programWithArchive({ ...emptySeed("b"), dashboards: [theirs] });
    const update = ["--on-conflict", "overwrite", "--include", "Three", "--kinds", "dashboards"];
    expect(await killAt(program, 1, "after", ...update)).toBe(true);
    expect((await recordOn(program.to, "dashboards", "Three"))["tags"]).toEqual(["kept"]);
    expect(documentOf(await program.import(...update))).toMatchObject({ exitCode: 0, counts: { unchanged: 1 } });
    expect(documentOf(await program.rollback())).toMatchObject({ exitCode: 0, counts: { update: 1 } });
    expect((await recordOn(program.to, "dashboards", "Three"))["tags"]).toEqual(["theirs"]);
  });
});

it("a tile of a killed update is known to the next run: a person's change of it is no new tile", async () => {
  const tiles = ["One", "Two"].map((name, index) => tileWith(hexId("e", index), name, { displayType: "markdown" }));
  const stack = usualTarget();
  const stage = importStage(stack);
  await stage.run(archive([board(16, { tiles: tiles.slice(0, 1) })]));
  const added = archive([board(16, { tiles })]);
  await runKilled(stack, "after", /^update /, () => stage.run(added), 1);
  await stage.run(added);
  const { tiles: stored, ...body } = recordOn(stack, "dashboards", "Board 16");
  const renamed = (stored as { name: string }[]).map((tile) =>
    tile.name === "Two" ? { ...tile, name: "Theirs" } : tile,
  );
  putRecord(stack, "dashboards", { ...body, tiles: renamed });
  await stage.run(added, { onConflict: "merge" });
  expect(recordOn(stack, "dashboards", "Board 16")["tiles"]).toMatchObject([{ name: "One" }, { name: "Theirs" }]);
});

it("a text of a dashboard that mentions itself gets the new id, though the import is killed before", async () => {
  const config = { displayType: "markdown", markdown: `see ${hexId("a", 16)}` };
  const records = archive([board(16, { tiles: [tileWith(hexId("e", 1), "Notes", config)] }), board(17)]);
  const stack = usualTarget();
  const stage = importStage(stack);
  await runKilled(stack, "before", /^update /, () => stage.run(records), 1);
  await stage.run(records);
  const { id, tiles } = recordOn(stack, "dashboards", "Board 16");
  expect(tiles).toMatchObject([{ config: { markdown: `see ${id}` } }]);
});

describe("an update of what an open create has made", () => {
  it("is undone by deleting the record", async () => {
    await using program = await programWithArchive();
    const only = ["--include", "Three", "--kinds", "dashboards"];
    expect(await killAt(program, 1, "after", ...only)).toBe(true);
    await changeOn(program.to, "dashboards", { tags: ["somebody else"] }, "Three");
    const run = documentOf(await program.import(...only, "--on-conflict", "overwrite"));
    expect(run).toMatchObject({ exitCode: 0, counts: { update: 1 } });
    expect(documentOf(await program.rollback())).toMatchObject({ exitCode: 0, counts: { delete: 1 } });
    expect(await recordsOn(program.to, "dashboards")).toEqual([]);
  });
});

describe("an import that was stopped", () => {
  it("sends in the next run only what it had not sent", async () => {
    await using program = await programWithArchive();
    refuseRoute(program, "POST alerts", 401);
    const first = await program.import();
    expect(first.exitCode).toBe(5);
    const done = outcomesOf(first).filter(({ action, status }) => action === "create" && status === "done").length;
    expect(done).toBeGreaterThan(0);
    program.watch = passThrough;
    const before = program.to.stats().byRoute;
    expect((await program.import()).exitCode).toBe(0);
    const after = program.to.stats().byRoute;
    expect(after["POST dashboards"]).toBe(3);
    expect((after["POST alerts"] ?? 0) - (before["POST alerts"] ?? 0)).toBe(2);
    expect(await recordsOn(program.to, "alerts")).toHaveLength(2);
  });

  it("writes and deletes no record that somebody created by hand under the name of one", async () => {
    await using program = await programWithArchive();
    const only = ["--include", "Three", "--kinds", "dashboards"];
    expect(await killAt(program, 1, "before", ...only)).toBe(true);
    const { id: _id, ...body } = dashboard("", "Three", targetIds.source, { tags: ["by hand"] });
    const tiles = [{ name: "Other", x: 0, y: 0, w: 6, h: 3, config: { displayType: "markdown", markdown: "x" } }];
    await callSandbox(program.to, "POST", "dashboards", { ...body, tiles });
    expect(documentOf(await program.import(...only))).toMatchObject({ exitCode: 0, counts: { skip: 1 } });
    expect(documentOf(await program.rollback())).toMatchObject({
      exitCode: 3,
      outcomes: [{ name: "Three", code: "changed-since" }],
    });
    expect((await recordOn(program.to, "dashboards", "Three"))["tags"]).toEqual(["by hand"]);
  });
});

describe("a journal that was cut off", () => {
  it("is continued by the next run, and is complete afterwards", async () => {
    await using program = await programAfterImport();
    await callSandbox(program.to, "DELETE", `dashboards/${(await recordsOn(program.to, "dashboards"))[0]?.id ?? ""}`);
    await editJournal(program, (text) => `${text}{"type":"intent","at":"2026`);
    const before = (await readFile(journalOf(program), "utf8")).split("\n").length - 1;
    expect((await program.import()).exitCode).toBe(0);
    const entries = program.entries();
    expect(entries.length).toBeGreaterThan(before);
    expect(entries.at(-1)).toMatchObject({ type: "end" });
    // Run 2 left a link of "One" to a record that is gone.
    expect((await program.rollback("--run", "2")).exitCode).toBe(3);
    expect(await sortedNamesOn(program.to)).toEqual(["One", "Three"]);
    const last = await program.rollback("--run", "1");
    expect([last.exitCode, warningCodes(last)]).toEqual([0, []]);
    expect(await recordsOn(program.to, "dashboards")).toEqual([]);
  });
});
