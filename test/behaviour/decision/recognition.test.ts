import { describe, expect, it } from "vitest";
import { board, usualTarget } from "../../support/import-samples.ts";
import { importStage, including, outcomeOf, tileIds, writesOn, type JsonObject } from "../../support/import-stage.ts";
import { deleteRecord, namesOn, putRecord } from "../../support/memory-stack.ts";
import { archive, noteSeen, stageAfterImport, update } from "../../support/mirror-stage.ts";
import { recordOn, recordsOn, sortedNamesOn } from "../../support/on-stack.ts";
import { alert, archiveIds, hexId, source, targetIds, tileOf, tileWith } from "../../support/stack-records.ts";
import { boardLines, keep, keyOf, knownOf, theirs } from "./boards.ts";

const renamed = archive([board(16, { name: "Renamed" })]);
/** The configuration of a tile that is not the usual one. */
const sum = { displayType: "number", sourceId: archiveIds.source, select: [{ aggFn: "sum" }] };

describe("a record that was renamed at the source", () => {
  it.each(["overwrite", "keep"] as const)(
    "is updated under %s, its alert too, and neither is doubled",
    async (policy) => {
      const busy = alert(hexId("a", 32), "Busy", board(16), archiveIds.webhook);
      const { stack, stage } = await stageAfterImport([board(16)], [busy]);
      const { id: dashboardId } = recordOn(stack, "dashboards", "Board 16");
      const { id } = recordOn(stack, "alerts", "Busy");
      const busier = { ...busy, name: "Busier", threshold: 12 };
      const run = await stage.run(archive([board(16, { name: "Renamed" })], [busier]), {
        ...update,
        onConflict: policy,
      });
      expect([run.exitCode, boardLines(run)]).toEqual([0, ["Renamed update"]]);
      expect(outcomeOf(run, "Renamed")?.targetName).toBe("Board 16");
      expect(namesOn(stack)).toEqual(["Renamed"]);
      expect(recordsOn(stack, "alerts")).toMatchObject([{ id, name: "Busier", threshold: 12, dashboardId }]);
      expect(writesOn(stack).toSorted()).toEqual(["update alerts", "update dashboards"]);
    },
  );

  it("counts as another record without a journal", async () => {
    const { stack, stage } = await stageAfterImport([board(16)]);
    stage.history.length = 0;
    await stage.run(renamed, update);
    expect(namesOn(stack)).toEqual(["Board 16", "Renamed"]);
  });

  it("gives its old name to another one", async () => {
    const { stack, stage } = await stageAfterImport([board(16), board(17)]);
    const idOf = (name: string): string => recordOn(stack, "dashboards", name).id;
    const [one, two] = [idOf("Board 16"), idOf("Board 17")];
    await stage.run(archive([board(16, { name: "Board 17" }), board(17, { name: "Board 16" })]), update);
    expect([idOf("Board 17"), idOf("Board 16")]).toEqual([one, two]);
    expect(sortedNamesOn(stack)).toHaveLength(2);
  });

  it("is recognised though it was on the target before the first import and nothing was written", async () => {
    const stack = usualTarget({ dashboards: [theirs()] });
    const stage = importStage(stack);
    expect(boardLines(await stage.run(archive([board(16)]), update))).toEqual(["Board 16 unchanged"]);
    await stage.run(renamed, update);
    expect(namesOn(stack)).toEqual(["Renamed"]);
  });
});

describe("a tile of an imported dashboard", () => {
  it("stays the same under another name and with another query, and so do the target's alerts on it", async () => {
    const { stack, stage } = await stageAfterImport([board(16)]);
    const before = recordOn(stack, "dashboards", "Board 16");
    putRecord(stack, "alerts", alert(hexId("d", 1), "Theirs", before, targetIds.webhook));
    const [tile = {}] = board(16)["tiles"] as JsonObject[];
    const changed = { ...tile, name: "Other", x: 6, config: sum };
    expect((await stage.run(archive([board(16, { tiles: [changed] })]), update)).exitCode).toBe(0);
    const after = recordOn(stack, "dashboards", "Board 16");
    expect(tileIds(after)).toEqual([tileOf(before)]);
    expect(after).toMatchObject({ tiles: [{ name: "Other", x: 6 }] });
  });

  it("is told apart from one with which it has changed place and name, under ids of whatever case", async () => {
    const tile = (number: number, name: string): JsonObject => tileWith(hexId("e", number), name, sum, { y: number });
    const { stack, stage } = await stageAfterImport([board(16, { tiles: [tile(1, "One"), tile(2, "Two")] })]);
    const before = tileIds(recordOn(stack, "dashboards", "Board 16"));
    noteSeen(stage, keyOf(16), { targetId: String(knownOf(stage, 16)?.targetId).toUpperCase() });
    const swapped = board(16, { tiles: [tile(2, "One"), tile(1, "Two")] });
    expect((await stage.run(archive([swapped]), update)).exitCode).toBe(0);
    expect(tileIds(recordOn(stack, "dashboards", "Board 16"))).toEqual(before.toReversed());
  });

  it("that the source has removed stays beside a chosen one of its name", async () => {
    const errors = (number: number, where: string): JsonObject => {
      const select = [{ aggFn: "count", where, whereLanguage: "lucene" }];
      return tileWith(hexId("a", number), "Errors", { ...sum, displayType: "line", fillNulls: true, select });
    };
    const { stack, stage } = await stageAfterImport([board(16, { tiles: [errors(20, "level:error")] })]);
    const later = archive([board(16, { tiles: [errors(21, "level:fatal")] })]);
    const run = await stage.run(later, { ...update, tile: "Errors", filter: including("Board 16") });
    expect([run.exitCode, boardLines(run)]).toEqual([0, ["Board 16 update kept"]]);
    const queries = [errors(20, "level:error"), errors(21, "level:fatal")].map(({ config }) => ({
      config: { ...(config as JsonObject), sourceId: targetIds.source },
    }));
    expect(recordOn(stack, "dashboards", "Board 16")).toMatchObject({ tiles: queries });
  });
});

it("one record of the target is the counterpart of one record, though two runs have paired it with two", async () => {
  const twins = [board(16, { name: "Twin" }), board(17, { name: "Twin" })];
  const { stack, stage } = await stageAfterImport(twins);
  deleteRecord(stack, "dashboards", "Twin");
  // An archive from before the copy was made.
  await stage.run(archive(twins.slice(0, 1)), keep);
  await stage.run(archive(twins), keep);
  expect(namesOn(stack)).toEqual(["Twin", "Twin"]);
});

it("the counterpart that the journal names is ignored once somebody has deleted it from the target", async () => {
  const { stack, stage } = await stageAfterImport([board(16)]);
  stack.records.get("sources")?.delete(targetIds.source);
  putRecord(stack, "sources", source(hexId("b", 7), "Logs", hexId("c", 2)));
  const run = await stage.run(archive([board(16), board(17)]), update);
  expect(run.plan.matches.find(({ space }) => space === "sources")).toMatchObject({ to: hexId("b", 7) });
});

it("a dashboard of the target is left to the record that a map file names for it, in later runs too", async () => {
  const { stack, stage } = await stageAfterImport([board(16)]);
  putRecord(stack, "dashboards", theirs());
  const mapping = { dashboards: { [hexId("a", 16)]: hexId("b", 16) } };
  const run = await stage.run(archive([board(16)]), { ...update, mapping });
  expect(boardLines(run)).toEqual(["Board 16 unchanged"]);
  expect(knownOf(stage, 16)).toMatchObject({ targetId: hexId("b", 16), ours: false });
  expect(boardLines(await stage.run(renamed, { ...update, mapping }))).toEqual(["Renamed update"]);
  expect(namesOn(stack)).toEqual(["Board 16", "Renamed"]);
  await stage.run(archive([board(16, { name: "Renamed twice" })]), update);
  expect(namesOn(stack)).toEqual(["Board 16", "Renamed twice"]);
});
