import { describe, expect, it } from "vitest";
import { archiveOf, board, hook, logs, update, usualTarget } from "../../support/import-samples.ts";
import { importStage, type JsonObject } from "../../support/import-stage.ts";
import { failOperation, namesOn, refusalError, type MemoryStack } from "../../support/memory-stack.ts";
import { changeOn, recordOn, recordsOn } from "../../support/on-stack.ts";
import { killRollback, planLines, rollBackJournal, type ImportedStack } from "../../support/rollback-runs.ts";
import { alert, archiveIds, dashboard, hexId, records, tileWith } from "../../support/stack-records.ts";
import { fiveRecords, importFive, notUndoneIn, overwriting, runsIn, theirBoard } from "./five-records.ts";

describe("a rollback that was killed", () => {
  it.each([1, 2, 3, 4, 5].flatMap((at) => [["before", at] as const, ["after", at] as const]))(
    "%s write %i is finished by the next, which is the same run",
    async (moment, at) => {
      const { stack, stage } = await importFive();
      const killed = await killRollback({ stack, entries: stage.history }, moment, at);
      // Without --run, the next one finishes it.
      const { exitCode, entries } = await rollBackJournal(stack, killed);
      expect(exitCode).toBe(0);
      expect(recordsOn(stack, "dashboards")).toMatchObject([theirBoard]);
      expect(namesOn(stack, "alerts")).toEqual([]);
      expect(runsIn(entries)).toEqual(["1", "2 undoes 1"]);
      expect(await planLines(stack, entries)).toEqual([]);
    },
  );

  it("is finished before another import is undone by default", async () => {
    const { stack, stage } = await importFive();
    const newer = fiveRecords.map((record) =>
      record.id === hexId("a", 16) ? { ...record, body: { ...record.body, tags: ["newer"] } } : record,
    );
    await stage.run(newer, overwriting);
    const killed = await killRollback({ stack, entries: stage.history }, "before", 1, { run: 1 });
    await rollBackJournal(stack, killed);
    // Run 2 wrote Board 16 later, so that stays; run 2 itself is not undone.
    expect(namesOn(stack)).not.toContain("Board 17");
    expect(recordOn(stack, "dashboards", "Board 16")).toMatchObject({ tags: ["newer"] });
  });
});

describe("a rollback that puts a tile back and creates the alert on it again", () => {
  const tile = tileWith(hexId("d", 1), "Watched", { displayType: "line", sourceId: archiveIds.source });
  const whole = dashboard(hexId("a", 16), "Board", archiveIds.source, { tiles: [tile] });
  const watching = alert(hexId("a", 32), "Watching", whole, archiveIds.webhook);
  const needed = { sources: [logs], webhooks: [hook] };

  /** Run 2 is a mirror that removes the tile and its alert. */
  async function mirrored(): Promise<ImportedStack> {
    const stack = usualTarget();
    const stage = importStage(stack);
    await stage.run(records({ ...needed, dashboards: [whole], alerts: [watching] }));
    await stage.run(records({ ...needed, dashboards: [{ ...whole, tiles: [] }] }), { mirror: {} });
    expect(namesOn(stack, "alerts")).toEqual([]);
    return { stack, entries: stage.history };
  }

  it.each([1, 2].flatMap((at) => [["before", at] as const, ["after", at] as const]))(
    "is finished by the next one, if it was killed %s write %i",
    async (moment, at) => {
      const { stack, entries } = await mirrored();
      const { exitCode } = await rollBackJournal(stack, await killRollback({ stack, entries }, moment, at, { run: 2 }));
      const { tiles } = recordOn(stack, "dashboards", "Board");
      expect([exitCode, recordsOn(stack, "alerts")]).toMatchObject([
        0,
        [{ tileId: (tiles as JsonObject[])[0]?.["id"] }],
      ]);
    },
  );

  it("can be finished later, if the target refused the alert", async () => {
    const { stack, entries } = await mirrored();
    failOperation(stack, "create alerts", () => refusalError("rejected", "no"));
    const first = await rollBackJournal(stack, entries, { run: 2 });
    expect([first.exitCode, namesOn(stack, "alerts")]).toEqual([3, []]);
    stack.intercept = () => {};
    expect((await rollBackJournal(stack, first.entries, { run: 2 })).exitCode).toBe(0);
    expect(namesOn(stack, "alerts")).toEqual(["Watching"]);
  });
});

describe("a rollback of the second of two runs that ended early", () => {
  const boards = archiveOf(board(16, { tags: ["one"] }), board(17, { tags: ["one"] }));
  const tags = (stack: MemoryStack): unknown[] => recordsOn(stack, "dashboards").map((body) => body["tags"]);

  /** Run 1 creates two dashboards, and run 2 updates them, after somebody has changed them. */
  async function createdThenUpdated(): Promise<ImportedStack> {
    const stack = usualTarget();
    const stage = importStage(stack);
    await stage.run(boards);
    changeOn(stack, "dashboards", { tags: ["theirs"] });
    await stage.run(boards, update);
    expect(tags(stack)).toEqual([["one"], ["one"]]);
    return { stack, entries: stage.history };
  }

  it("is gone on with, and the run before it can be undone afterwards", async () => {
    const { stack, entries } = await createdThenUpdated();
    failOperation(stack, "update dashboards", () => refusalError("unauthorized", "no"), 2);
    const first = await rollBackJournal(stack, entries, { run: 2 });
    expect(first.stopped).toMatchObject({ code: "unauthorized" });
    stack.intercept = () => {};
    const second = await rollBackJournal(stack, first.entries, { run: 2 });
    expect(second.lines).toEqual(["Board 17 update done"]);
    expect(tags(stack)).toEqual([["theirs"], ["theirs"]]);
    const left = ["Board 16 skip changed-since", "Board 17 skip changed-since"];
    expect(await planLines(stack, second.entries, false, 1)).toEqual(left);
    const third = await rollBackJournal(stack, second.entries, { run: 1, force: true });
    expect(third.lines).toEqual(["Board 16 delete done", "Board 17 delete done"]);
    expect(notUndoneIn(third.entries)).toEqual([0, 0]);
  });

  it("knows a put-back whose answer was lost", async () => {
    const { stack, entries } = await createdThenUpdated();
    const after = await killRollback({ stack, entries }, "after", 1, { run: 2 });
    expect(after.at(-1)).toMatchObject({ type: "intent", write: "update" });
    await rollBackJournal(stack, after, { run: 2 });
    expect(tags(stack)).toEqual([["theirs"], ["theirs"]]);
    expect(await planLines(stack, after, true, 1)).toEqual(["Board 16 delete", "Board 17 delete"]);
  });
});
