import { describe, expect, it } from "vitest";
import { board, fromOtherStack, usualTarget } from "../../support/import-samples.ts";
import {
  importStage,
  outcomeLines,
  outcomeOf,
  writesDuring,
  type JsonObject,
  type StackRecord,
} from "../../support/import-stage.ts";
import { failOperation, namesOn, putRecord, refusalError, type MemoryStack } from "../../support/memory-stack.ts";
import { alertOn, archive, mirror, type MirrorStage } from "../../support/mirror-stage.ts";
import { changeOn, recordOn, recordsOn } from "../../support/on-stack.ts";
import { killRollback, rollBackJournal } from "../../support/rollback-runs.ts";
import { alert, archiveIds, dashboard, hexId, targetIds, tileWith } from "../../support/stack-records.ts";
import { importFive, overwriting, undo } from "./five-records.ts";

const tilesOn = (stack: MemoryStack): { id: string; name: string }[] =>
  recordOn(stack, "dashboards", "Board 16")["tiles"] as never;
const tileNames = (stack: MemoryStack): string[] => tilesOn(stack).map(({ name }) => name);

it("a rollback forgets what the undone run had seen of a record before it wrote the record", async () => {
  const imported = await importFive();
  const known = (): boolean => imported.stage.bases.has(`dashboards/${hexId("a", 18)}`);
  expect(known()).toBe(true);
  await undo(imported, { run: 1 });
  expect(known()).toBe(false);
});

describe("records that a rollback has restored", () => {
  const alerted = (threshold: number): StackRecord[] =>
    archive(
      [board(16)],
      [32, 33].map((number) =>
        alert(hexId("a", number), `Alert ${number}`, board(16), archiveIds.webhook, { threshold }),
      ),
    );
  const thresholds = (stack: MemoryStack): unknown[] => recordsOn(stack, "alerts").map(({ threshold }) => threshold);

  it.each(["at once", "in two goes"])("%s do not count as edited: the next import writes them again", async (how) => {
    const stack = usualTarget();
    const stage = importStage(stack);
    await stage.run(alerted(10), overwriting);
    await stage.run(alerted(20), overwriting);
    if (how === "in two goes") {
      failOperation(stack, "update alerts", () => refusalError("rejected", "no"), 2);
      expect((await undo({ stack, stage }, { run: 2 })).exitCode).toBe(3);
      stack.intercept = () => {};
    }
    expect(await undo({ stack, stage }, { run: 2 })).toMatchObject({ exitCode: 0, warnings: [] });
    expect(thresholds(stack)).toEqual([10, 10]);
    for (const threshold of [20, 15]) {
      await stage.run(alerted(threshold), { ...overwriting, onConflict: "keep" });
      expect(thresholds(stack)).toEqual([threshold, threshold]);
    }
  });

  it("are not deleted by a mirror if they are from before the import", async () => {
    const imported = await importFive();
    const { stack, stage } = imported;
    await undo(imported);
    await stage.run(archive([board(16), board(17), board(18, { tags: ["theirs"] })]), overwriting);
    const { outcomes } = await stage.run(archive([board(16), board(17, { tags: ["new"] })]), mirror);
    expect(outcomeLines(outcomes)).toContain("Board 18 skip done kept");
    expect(recordOn(stack, "dashboards", "Board 18")).toMatchObject({ id: hexId("b", 18) });
  });
});

describe("the rollback of a merge", () => {
  const merge = { onConflict: "merge", ...fromOtherStack } as const;
  const tile = (letter: "a" | "b", number: number, name: string): JsonObject =>
    tileWith(hexId(letter === "a" ? "d" : "e", number), name, { displayType: "line", sourceId: hexId(letter, 1) });
  const version = (first: string): StackRecord[] =>
    archive([board(16, { tags: ["kept"], tiles: [tile("a", 1, first), tile("a", 2, "Second")] })]);
  const shownOn = (stack: MemoryStack): unknown[] => [
    ...tileNames(stack),
    recordOn(stack, "dashboards", "Board 16")["tags"],
  ];
  const renameTile = (stack: MemoryStack, from: string, name: string): void => {
    const tiles = tilesOn(stack).map((each) => (each.name === from ? { ...each, name } : each));
    changeOn(stack, "dashboards", { tiles });
  };

  /** Merges a dashboard in run 2, after a person has changed its tags and the source has renamed its first tile. */
  async function merged(): Promise<MirrorStage> {
    const stack = usualTarget();
    const stage = importStage(stack);
    await stage.run(version("First"), merge);
    changeOn(stack, "dashboards", { tags: ["person"] });
    await stage.run(version("Source"), merge);
    expect(shownOn(stack)).toEqual(["Source", "Second", ["person"]]);
    return { stack, stage };
  }

  it("leaves the base: the next merge keeps a person's edits and brings the source's", async () => {
    const { stack, stage } = await merged();
    expect((await undo({ stack, stage }, { run: 2 })).exitCode).toBe(0);
    expect(shownOn(stack)).toEqual(["First", "Second", ["person"]]);
    renameTile(stack, "Second", "Person");
    const run = await stage.run(version("Source again"), merge);
    expect(outcomeOf(run, "Board 16")).toMatchObject({ action: "update", code: "kept" });
    expect(shownOn(stack)).toEqual(["Source again", "Person", ["person"]]);
    expect(await writesDuring(stack, () => stage.run(version("Source again"), merge))).toEqual([]);
  });

  it.each([
    ["merge", "Source again"],
    ["keep", "First"],
  ] as const)("lets no run overwrite an edit from before the merge (%s)", async (onConflict, first) => {
    const { stack, stage } = await merged();
    await undo({ stack, stage }, { run: 2 });
    await stage.run(version("Source again"), { ...merge, onConflict });
    expect(shownOn(stack)).toEqual([first, "Second", ["person"]]);
  });

  it("follows only that of a later run that merged once more, and the two can be merged again", async () => {
    const { stack, stage } = await merged();
    const latest = version("Source again");
    expect(outcomeOf(await stage.run(latest, merge), "Board 16")).toMatchObject({ code: "kept" });
    expect(await undo({ stack, stage }, { run: 2 })).toMatchObject({
      lines: ["Board 16 skip done later-run"],
      exitCode: 3,
    });
    expect(shownOn(stack)).toEqual(["Source again", "Second", ["person"]]);
    for (const run of [3, 2]) expect((await undo({ stack, stage }, { run })).exitCode).toBe(0);
    expect(shownOn(stack)).toEqual(["First", "Second", ["person"]]);
    expect(outcomeOf(await stage.run(latest, merge), "Board 16")).toMatchObject({ code: "kept" });
    expect(shownOn(stack)).toEqual(["Source again", "Second", ["person"]]);
  });

  it("lets the next merge add the same tiles again, with the alerts on them", async () => {
    const mine = tileWith(hexId("e", 9), "Mine", { displayType: "markdown", markdown: "mine" });
    const stack = usualTarget({ dashboards: [dashboard(hexId("b", 16), "Board 16", "", { tiles: [mine] })] });
    const stage = importStage(stack);
    const archived = archive([board(16), board(17)], [alertOn(16), alertOn(17)]);
    const lines = async (): Promise<string[]> => {
      const { outcomes } = await stage.run(archived, merge);
      return outcomeLines(outcomes.filter(({ action }) => action !== "skip")).toSorted();
    };
    const first = await lines();
    expect(first).toContain("Board 16 update done kept");
    expect([first.length, tileNames(stack)]).toEqual([4, ["Mine", "Requests"]]);
    expect((await undo({ stack, stage })).exitCode).toBe(0);
    expect(await lines()).toEqual(first);
  });
});

describe("the rollback of a run that removed a tile", () => {
  const tile = (number: number, name: string): JsonObject =>
    tileWith(hexId("d", number), name, { displayType: "line", sourceId: archiveIds.source });
  const version = (...names: readonly string[]): StackRecord[] =>
    archive([board(16, { tiles: names.map((name, index) => tile(index, name)) })]);

  async function removed(): Promise<MirrorStage> {
    const stack = usualTarget();
    const stage = importStage(stack);
    await stage.run(version("First", "Second"), overwriting);
    await stage.run(version("First"), overwriting);
    expect(tileNames(stack)).toEqual(["First"]);
    return { stack, stage };
  }

  it.each([undefined, "before", "after"] as const)(
    "leaves the base, also if it is killed (%s its write): the next import removes the tile again",
    async (moment) => {
      const { stack, stage } = await removed();
      if (moment !== undefined) {
        const entries = await killRollback({ stack, entries: stage.history }, moment, 1, { run: 2 });
        stage.history.splice(0, stage.history.length, ...entries);
      }
      expect((await undo({ stack, stage }, { run: 2 })).exitCode).toBe(0);
      expect(tileNames(stack)).toEqual(["First", "Second"]);
      const run = await stage.run(version("First"), { ...overwriting, onConflict: "keep" });
      expect(outcomeLines(run.outcomes)).toContain("Board 16 update done");
      expect(tileNames(stack)).toEqual(["First"]);
    },
  );

  it("takes the tile for put back, even by force, where somebody has made it again: its alert stays", async () => {
    const { stack, stage } = await removed();
    const again = { ...tile(7, "Second"), config: { displayType: "line", sourceId: targetIds.source } };
    changeOn(stack, "dashboards", { tiles: [...tilesOn(stack), again] });
    const { id } = recordOn(stack, "dashboards", "Board 16");
    putRecord(stack, "alerts", alert(hexId("b", 32), "Theirs", { id, tiles: [again] }, targetIds.webhook));
    const { lines, exitCode } = await rollBackJournal(stack, stage.history, { run: 2, force: true });
    expect([lines, exitCode]).toEqual([["Board 16 skip done put-back"], 0]);
    expect(namesOn(stack, "alerts")).toEqual(["Theirs"]);
  });
});
