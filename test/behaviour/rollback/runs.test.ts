import { describe, expect, it } from "vitest";
import { board, dependencies, fromOtherStack, usualTarget } from "../../support/import-samples.ts";
import { importStage, writesDuring, type JsonObject } from "../../support/import-stage.ts";
import { namesOn, type MemoryStack } from "../../support/memory-stack.ts";
import { archive, stageAfterImport, type MirrorStage } from "../../support/mirror-stage.ts";
import { changeOn, recordOn, recordsOn } from "../../support/on-stack.ts";
import { contentOf, killRollback, planLines, planRollbackOf, rollBackJournal } from "../../support/rollback-runs.ts";
import { archiveIds, dashboard, hexId, records } from "../../support/stack-records.ts";
import { fiveRecords, importFive, notUndoneIn, overwriting, runsIn, theirBoard, undo } from "./five-records.ts";

/** Imports twice: run 1 creates four records and updates "Board 18"; run 2 updates it again, after somebody has changed it. */
async function twoRuns(): Promise<MirrorStage> {
  const both = await importFive();
  changeOn(both.stack, "dashboards", { tags: ["second"] }, "Board 18");
  await both.stage.run(fiveRecords, overwriting);
  expect(tagsOf(both)).toEqual(["ours"]);
  return both;
}

const tagsOf = ({ stack }: MirrorStage): unknown => recordOn(stack, "dashboards", "Board 18")["tags"];
const DELETES = ["Alert 0 delete done", "Alert 1 delete done", "Board 16 delete done", "Board 17 delete done"];

describe("two runs of one journal", () => {
  it("are undone apart: the last by default, and then the first, without what somebody changed after it", async () => {
    const both = await twoRuns();
    const { stack, stage } = both;
    expect(await undo(both)).toMatchObject({ lines: ["Board 18 update done"], exitCode: 0 });
    expect([tagsOf(both), namesOn(stack)]).toEqual([["second"], ["Board 18", "Board 16", "Board 17"]]);
    // By default, a rollback does not go on to the run before.
    expect(await planLines(stack, stage.history)).toEqual([]);
    const first = await undo(both, { run: 1 });
    expect(first.lines.toSorted()).toEqual([...DELETES, "Board 18 skip done changed-since"].toSorted());
    expect([first.exitCode, first.warnings, tagsOf(both)]).toEqual([3, [], ["second"]]);
    expect([namesOn(stack), namesOn(stack, "alerts")]).toEqual([["Board 18"], []]);
  });

  it("are undone one after the other under --force, and a later import writes all again", async () => {
    const both = await twoRuns();
    await undo(both, { run: 2 });
    const first = await undo(both, { run: 1, force: true });
    expect([first.lines.toSorted(), first.exitCode]).toEqual([[...DELETES, "Board 18 update done"].toSorted(), 0]);
    expect(tagsOf(both)).toEqual(["theirs"]);
    const { outcomes } = await both.stage.run(fiveRecords, overwriting);
    const actions = outcomes.map(({ action }) => action).filter((action) => action !== "skip");
    expect(actions.toSorted()).toEqual(["create", "create", "create", "create", "update"]);
    expect((await undo(both)).lines).toHaveLength(5);
    expect(tagsOf(both)).toEqual(["theirs"]);
    expect(runsIn(both.stage.history)).toEqual(["1", "2", "3 undoes 2", "4 undoes 1", "5", "6 undoes 5"]);
  });

  it("are undone together by force; what is undone twice counts once, and an undo that is undone does not count", async () => {
    const both = await twoRuns();
    const { stack, stage } = both;
    const kept = await undo(both, { run: 1 });
    expect(kept.lines).toContain("Board 18 skip done later-run");
    expect([kept.exitCode, tagsOf(both)]).toEqual([3, ["ours"]]);
    const forced = await undo(both, { run: 1, force: true });
    expect([forced.exitCode, forced.warnings.map(({ code }) => code)]).toEqual([0, ["later-run"]]);
    expect(tagsOf(both)).toEqual(["theirs"]);
    expect(await planLines(stack, stage.history, false, 2)).toEqual([]);
    expect(notUndoneIn(stage.history)).toEqual([0, 0]);
    await stage.run(fiveRecords, overwriting);
    expect((await undo(both)).exitCode).toBe(0);
    // Run 4 is the forced rollback.
    expect((await undo(both, { run: 4 })).exitCode).toBe(0);
    expect(notUndoneIn(stage.history).at(1)).toBe(1);
  });

  it("are undone together where the second replaced a secret, which no journal stores, and no placeholder is written", async () => {
    const withSecret = (text: string): JsonObject => board(16, { savedQuery: `The password: ${text}` });
    const { stack, stage } = await stageAfterImport([board(16, { tags: ["1"] })]);
    await stage.run(archive([withSecret("hunter2hunter2hunter2x9Q")]), fromOtherStack);
    await stage.run(archive([withSecret("other7other7other7other7Z")]), fromOtherStack);
    const [left] = await planRollbackOf(stack, stage.history, true, 3);
    expect(left).toMatchObject({ action: "skip", code: "redacted" });
    expect(left?.message).toContain("--run 2 --force");
    expect((await rollBackJournal(stack, stage.history, { force: true, run: 2 })).lines).toEqual([
      "Board 16 update done",
    ]);
    expect(recordOn(stack, "dashboards", "Board 16")).toMatchObject({ tags: ["1"], savedQuery: null });
  });
});

describe("a rollback of two records of the target that were written for one record of the archive", () => {
  it("undoes both", async () => {
    const stack = usualTarget();
    const stage = importStage(stack);
    const boards = [16, 17].map((number) => dashboard(hexId("a", number), `B${number}`, archiveIds.source));
    const archive = records({ dashboards: boards, ...dependencies.ours });
    await stage.run(archive);
    const first = recordOn(stack, "dashboards", "B16").id;
    // Run 2 gives the first record to the second dashboard, and creates another for the first dashboard.
    await stage.run(archive, { onConflict: "overwrite", mapping: { dashboards: { B17: first } } });
    expect(namesOn(stack, "dashboards").toSorted()).toEqual(["B16", "B17", "B17"]);
    const second = await rollBackJournal(stack, stage.history, { run: 2 });
    expect([second.exitCode, namesOn(stack, "dashboards").toSorted()]).toEqual([0, ["B16", "B17"]]);
    const rollback = await rollBackJournal(stack, second.entries, { run: 1 });
    expect([rollback.exitCode, namesOn(stack, "dashboards")]).toEqual([0, []]);
    expect(notUndoneIn(rollback.entries)).toEqual([0, 0]);
  });
});

describe("the rollback of a rollback", () => {
  /** Returns what a stack has, without the ids that each create makes anew. */
  function contentsOf(stack: MemoryStack): string[] {
    const without = (key: string, value: unknown): unknown =>
      /^(?:id|dashboardId|tileId)$/.test(key) ? undefined : value;
    return ["dashboards", "alerts"]
      .flatMap((kind) =>
        recordsOn(stack, kind).map((body) => {
          const content = JSON.parse(JSON.stringify(body, without)) as JsonObject;
          return `${String(body["name"])} ${contentOf(kind, content)}`;
        }),
      )
      .toSorted();
  }

  const expectAsBefore = ({ stack }: MirrorStage): void => {
    expect(recordsOn(stack, "dashboards")).toMatchObject([theirBoard]);
    expect(namesOn(stack, "alerts")).toEqual([]);
  };

  it("leads back to what the import had written, and the next one back again", async () => {
    const imported = await importFive();
    const { stack, stage } = imported;
    const written = contentsOf(stack);
    expect((await undo(imported, { run: 1 })).exitCode).toBe(0);
    expectAsBefore(imported);
    const before = contentsOf(stack);
    expect((await undo(imported, { run: 2 })).exitCode).toBe(0);
    expect(contentsOf(stack)).toEqual(written);
    expect((await undo(imported, { run: 3 })).exitCode).toBe(0);
    expect(contentsOf(stack)).toEqual(before);
    expect(runsIn(stage.history)).toEqual(["1", "2 undoes 1", "3 undoes 2", "4 undoes 3"]);
  });

  it("leaves nothing to write for the next import, and the import can still be undone by its number", async () => {
    const imported = await importFive();
    await undo(imported, { run: 1 });
    await undo(imported, { run: 2 });
    const again = (): Promise<unknown> => imported.stage.run(fiveRecords, overwriting);
    expect(await writesDuring(imported.stack, again)).toEqual([]);
    expect((await undo(imported, { run: 1 })).exitCode).toBe(0);
    expectAsBefore(imported);
  });

  it("leads back whole where the first was killed and finished", async () => {
    const imported = await importFive();
    const { stack, stage } = imported;
    const written = contentsOf(stack);
    const killed = await killRollback({ stack, entries: stage.history }, "after", 3);
    const { entries } = await rollBackJournal(stack, killed);
    expect((await rollBackJournal(stack, entries, { run: 2 })).exitCode).toBe(0);
    expect(contentsOf(stack)).toEqual(written);
  });
});
