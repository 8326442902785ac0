import { describe, expect, it } from "vitest";
import { update } from "../../support/import-samples.ts";
import {
  bodiesSentTo,
  importStage,
  writesOn,
  type ImportStage,
  type JsonObject,
  type RunOptions,
} from "../../support/import-stage.ts";
import { deleteRecord, loseAlertsOnUpdate, memoryStack, type MemoryStack } from "../../support/memory-stack.ts";
import { recordsOn } from "../../support/on-stack.ts";
import { rollBackJournal, type RollbackRunOptions } from "../../support/rollback-runs.ts";
import {
  alert,
  archiveIds,
  dashboard,
  heatmap,
  hexId,
  linkingTable,
  rawSql,
  records,
  source,
  targetIds,
  tileOf,
  webhook,
} from "../../support/stack-records.ts";

const now = Date.UTC(2026, 0, 1);
const kindsOfSources = ["log", "trace", "session"] as const;
const sourcesOf = (letter: "a" | "b"): JsonObject[] =>
  kindsOfSources.map((kind, index) => ({ ...source(hexId(letter, index + 1), kind, hexId("c", 1)), kind }));
const connections = [{ id: hexId("c", 1), name: "Main", host: "http://store", username: "r" }];
const withTile = (board: JsonObject, config: JsonObject): JsonObject => {
  const [tile] = board["tiles"] as JsonObject[];
  return { ...board, tiles: [{ ...tile, config }] };
};
const theirs = dashboard(hexId("b", 16), "Overview", targetIds.source, { tags: ["theirs"] });
const ours = dashboard(hexId("a", 16), "Overview", archiveIds.source, { tags: ["ours"] });
const busy = (members: JsonObject): JsonObject => alert(hexId("b", 32), "Busy", theirs, hexId("b", 12), members);
const ourBusy = alert(hexId("a", 32), "Busy", ours, hexId("a", 12), { threshold: 99 });

interface There {
  readonly dashboards?: JsonObject[];
  readonly alerts?: JsonObject[];
}
const target = ({ dashboards = [theirs], alerts = [] }: There): MemoryStack =>
  memoryStack({
    dashboards,
    alerts,
    sources: sourcesOf("b"),
    connections,
    webhooks: [webhook(hexId("b", 12), "oncall")],
  });
const archiveOf = ({ dashboards = [ours], alerts = [] }: There) =>
  records({ dashboards, alerts, sources: sourcesOf("a"), connections, webhooks: [webhook(hexId("a", 12), "oncall")] });

interface UndoOptions extends RollbackRunOptions {
  /** The options of the import, besides `update`. */
  readonly imported?: RunOptions;
  /** Called between the import and its rollback. */
  readonly meanwhile?: () => void;
}

/** Imports and rolls back. Returns a line for each record, the exit code, the rollback's writes and the codes of its warnings. */
async function importAndUndo(stack: MemoryStack, there: There, { imported, meanwhile, ...options }: UndoOptions = {}) {
  const stage = importStage(stack);
  await stage.run(archiveOf(there), { ...update, ...imported });
  meanwhile?.();
  return undo(stack, stage, options);
}

async function undo(stack: MemoryStack, stage: ImportStage, options: RollbackRunOptions = {}) {
  const before = writesOn(stack).length;
  const { lines, warnings, exitCode, entries } = await rollBackJournal(stack, stage.history, { now, ...options });
  const writes = writesOn(stack).slice(before);
  const warned = [...new Set(warnings.map(({ code }) => code))];
  return { ended: { ends: lines, exitCode, writes, warned }, warnings, entries };
}

const leftAlone = (name: string, code: string) => ({
  ends: [`${name} blocked failed ${code}`],
  exitCode: 3,
  writes: [],
  warned: [],
});
const putBack = (name: "Busy" | "Overview", warning?: string, exitCode = 0) => ({
  ends: [`${name} update done`],
  exitCode,
  writes: [`update ${name === "Busy" ? "alerts" : "dashboards"}`],
  warned: warning === undefined ? [] : [warning],
});

describe("an alert whose earlier form the API now refuses", () => {
  it.each<[what: string, there: JsonObject, code: string, fitted: JsonObject | undefined]>([
    ["a start eleven years ago", { scheduleStartAt: "2014-12-30T06:07:00.000Z" }, "would-be-refused", undefined],
    [
      "an offset beside a start",
      { scheduleStartAt: "2025-01-01T00:00:00.000Z", scheduleOffsetMinutes: 2 },
      "needs-fitting",
      { scheduleOffsetMinutes: 0 },
    ],
    ["an offset over its interval", { scheduleOffsetMinutes: 12 }, "needs-fitting", { scheduleOffsetMinutes: 2 }],
    ["a start two years ahead", { scheduleStartAt: "2028-01-01T00:00:00.000Z" }, "would-be-refused", undefined],
    ["no channel", { channel: null, channels: [] }, "would-be-refused", undefined],
  ])(
    "is left alone and named, and put back under --fit-limits where it can be: %s",
    async (_what, there, code, fitted) => {
      const stack = (): MemoryStack => target({ dashboards: [{ ...theirs, tags: ["ours"] }], alerts: [busy(there)] });
      expect((await importAndUndo(stack(), { alerts: [ourBusy] })).ended).toEqual(leftAlone("Busy", code));
      const allowed = stack();
      const { ended, entries } = await importAndUndo(allowed, { alerts: [ourBusy] }, { fitLimits: true });
      expect(ended).toEqual(fitted === undefined ? leftAlone("Busy", code) : putBack("Busy", "fitted"));
      if (fitted === undefined) return;
      expect(bodiesSentTo(allowed, "update alerts").at(-1)).toMatchObject({ threshold: 10, ...fitted });
      expect((await rollBackJournal(allowed, entries, { now, fitLimits: true })).outcomes).toEqual([]);
    },
  );

  it.each([
    [false, "Busy blocked failed needs-fitting", []],
    [true, "Busy create done", [2]],
  ])("is created again only under --fit-limits if an update had deleted it (%s)", async (fitLimits, end, offsets) => {
    const stack = target({ alerts: [busy({ scheduleOffsetMinutes: 12 })] });
    loseAlertsOnUpdate(stack);
    const meanwhile = (): void => void (stack.interceptAfter = () => {});
    const { ended } = await importAndUndo(stack, {}, { fitLimits, meanwhile });
    expect(ended.ends).toContain(end);
    expect(ended.exitCode).toBe(fitLimits ? 0 : 3);
    expect(recordsOn(stack, "alerts").map((each) => each["scheduleOffsetMinutes"])).toEqual(offsets);
  });
});

describe("a dashboard that was there in a form which no write brings back", () => {
  const [logs, traces] = [hexId("b", 1), hexId("b", 2)];
  const [tile] = theirs["tiles"] as JsonObject[];
  const textOf = (stack: MemoryStack): string => JSON.stringify(recordsOn(stack, "dashboards"));

  it.each<[what: string, there: JsonObject, code: string]>([
    ["a heatmap without a value", withTile(theirs, heatmap(traces, "")), "would-be-refused"],
    ["a heatmap of logs, which is a line by now", withTile(theirs, heatmap(logs, "Duration")), "would-be-refused"],
  ])("is left alone and named, also under --fit-limits: %s", async (_what, there, code) => {
    for (const fitLimits of [false, true]) {
      const { ended } = await importAndUndo(target({ dashboards: [there] }), {}, { fitLimits });
      expect(ended).toEqual(leftAlone("Overview", code));
    }
  });

  it("is put back where the API waives its rule, as the import had left the tile", async () => {
    const stack = target({ dashboards: [withTile(theirs, heatmap(logs, "Duration"))] });
    const dashboards = [withTile(ours, heatmap(hexId("a", 1), "Duration"))];
    expect((await importAndUndo(stack, { dashboards })).ended).toEqual(putBack("Overview"));
  });

  it("is put back in the grid under --fit-limits", async () => {
    const stack = (): MemoryStack => target({ dashboards: [{ ...theirs, tiles: [{ ...tile, w: 36 }] }] });
    expect((await importAndUndo(stack(), {})).ended).toEqual(leftAlone("Overview", "needs-fitting"));
    const allowed = stack();
    const { ended } = await importAndUndo(allowed, {}, { fitLimits: true });
    expect(ended).toEqual(putBack("Overview", "fitted"));
    const tiles = [{ id: tileOf(theirs), w: 24 }];
    expect(recordsOn(allowed, "dashboards")).toMatchObject([{ tags: ["theirs"], tiles }]);
  });

  it.each([
    ["comes back without its link to a dashboard that was deleted since, which is named", hexId("b", 17), true],
    ["keeps its link to a dashboard whose id it spells in another case", hexId("b", 17).toUpperCase(), false],
  ])("%s", async (_, id, isDeleted) => {
    const other = { ...dashboard(hexId("b", 17), "Other", logs), tiles: [] };
    const link = { ...linkingTable(id, logs), select: [{ aggFn: "count" }] };
    const stack = target({ dashboards: [withTile(theirs, link), other] });
    const meanwhile = (): void => {
      expect(textOf(stack)).not.toContain("onClick");
      if (isDeleted) deleteRecord(stack, "dashboards", "Other");
    };
    const { ended } = await importAndUndo(stack, {}, { meanwhile });
    expect(ended).toEqual(isDeleted ? putBack("Overview", "left-out", 3) : putBack("Overview"));
    expect(textOf(stack).includes(id)).toBe(!isDeleted);
    expect(textOf(stack).includes("onClick")).toBe(!isDeleted);
  });

  it("says which language its query gets, where it had none", async () => {
    const stack = target({ dashboards: [{ ...theirs, savedQuery: "level:error", savedQueryLanguage: null }] });
    expect((await importAndUndo(stack, {})).ended).toEqual(putBack("Overview", "fitted"));
    const query = { savedQuery: "level:error", savedQueryLanguage: "lucene" };
    expect(recordsOn(stack, "dashboards")).toMatchObject([query]);
  });

  it("is not reported as restored if the stack does not keep the body sent", async () => {
    const stack = target({ dashboards: [{ ...theirs, savedQuery: "level:error", savedQueryLanguage: "lucene" }] });
    const meanwhile = (): void => void (stack.replaceStored = (_, { savedQuery: _dropped, ...kept }) => kept);
    const { ended, warnings } = await importAndUndo(stack, {}, { meanwhile });
    const ends = ["Overview update failed not-stored"];
    expect(ended).toEqual({ ...putBack("Overview", "not-stored", 3), ends });
    expect(warnings.map(({ pointer }) => pointer)).toContain("/savedQuery");
  });
});

describe("the parts of a record that the API does not show", () => {
  const acceptHiddenLoss = true;

  it("are lost with a dashboard that a mirror has deleted: only the shown parts are created again", async () => {
    const stack = target({});
    stack.substitutes.add(tileOf(theirs));
    const dashboards = [dashboard(hexId("a", 17), "Other", archiveIds.source)];
    const meanwhile = (): void => {
      expect(writesOn(stack)).toContain("delete dashboards");
      stack.substitutes.clear();
    };
    const imported = { acceptHiddenLoss, mirror: { scope: "all" } } as const;
    const { ended } = await importAndUndo(stack, { dashboards }, { imported, meanwhile });
    expect(ended.ends).toContain("Overview create done");
    expect([ended.warned, ended.exitCode]).toEqual([["hidden-lost"], 3]);
  });

  it("are lost with a hidden tile: the alert on the tile is not sent", async () => {
    const hidden = { ...theirs, tiles: [{ id: hexId("d", 9) }] };
    const stack = target({ alerts: [alert(hexId("b", 33), "On hidden", hidden, hexId("b", 12))] });
    loseAlertsOnUpdate(stack);
    const { ended } = await importAndUndo(stack, {}, { imported: { acceptHiddenLoss }, acceptHiddenLoss });
    expect(ended.ends.toSorted()).toEqual(["On hidden blocked failed unshown-tile", "Overview update done"]);
    expect([ended.exitCode, ended.writes]).toEqual([3, ["update dashboards"]]);
  });
});

describe("an alert that its tile has kept from being written since", () => {
  const sql = (sqlTemplate: string): JsonObject => ({ ...rawSql(hexId("c", 1), sqlTemplate, "line"), fillNulls: true });
  const timed = sql("SELECT {intervalSeconds:Int64}");

  it("is left alone where the dashboard stays as it is, and put back once that is undone, too", async () => {
    const stack = target({ dashboards: [withTile({ ...theirs, tags: [] }, timed)], alerts: [busy({})] });
    const stage = importStage(stack);
    // One run changes the alert, and another the SQL of its tile.
    const same = withTile({ ...ours, tags: [] }, timed);
    await stage.run(archiveOf({ dashboards: [same], alerts: [ourBusy] }), update);
    await stage.run(archiveOf({ dashboards: [withTile(ours, sql("SELECT 1"))] }), update);
    expect(writesOn(stack)).toEqual(["update alerts", "update dashboards"]);
    expect((await undo(stack, stage, { run: 1 })).ended).toEqual(leftAlone("Busy", "would-be-refused"));
    expect(recordsOn(stack, "alerts")).toMatchObject([{ threshold: 99 }]);
    const { entries } = await rollBackJournal(stack, stage.history, { now, run: 2 });
    const { exitCode } = await rollBackJournal(stack, entries, { now, run: 1 });
    expect(exitCode).toBe(0);
    expect(writesOn(stack).slice(2)).toEqual(["update dashboards", "update alerts"]);
    expect(recordsOn(stack, "alerts")).toMatchObject([{ threshold: 10 }]);
  });
});
