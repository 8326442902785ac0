import { describe, expect, it } from "vitest";
import type { ImportStage, JsonObject, RunOptions } from "../support/import-stage.ts";
import { importStage, sentTo, storedRecords, writesOn } from "../support/import-stage.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { memoryStack } from "../support/memory-stack.ts";
import type { Undone, UndoOptions } from "../support/resume-into.ts";
import { undo } from "../support/resume-into.ts";
import {
  alert,
  dashboard,
  heatmap,
  hexId,
  rawSql,
  records,
  source,
  tileOf,
  webhook,
} from "../support/stack-records.ts";

const now = Date.UTC(2026, 0, 1);
const kindsOfSources = ["log", "trace", "session"] as const;
const sourcesOf = (letter: "a" | "b"): JsonObject[] =>
  kindsOfSources.map((kind, index) => ({ ...source(hexId(letter, index + 1), kind, hexId("c", 1)), kind }));
const connections = [{ id: hexId("c", 1), name: "Main", host: "http://store", username: "r" }];
const withTile = (board: JsonObject, config: JsonObject): JsonObject => {
  const [tile] = board["tiles"] as JsonObject[];
  return { ...board, tiles: [{ ...tile, config }] };
};
const theirs = dashboard(hexId("b", 16), "Overview", hexId("b", 1), { tags: ["theirs"] });
const ours = dashboard(hexId("a", 16), "Overview", hexId("a", 1), { tags: ["ours"] });
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

/** An import that overwrites what is there, and what its rollback comes to. */
async function undoneAfter(
  stack: MemoryStack,
  there: There,
  options: UndoOptions & { readonly run?: RunOptions } = {},
): Promise<Undone & { readonly writes: readonly string[] }> {
  const stage = importStage(stack);
  await stage.run(archiveOf(there), { onConflict: "update", ...options.run });
  return undoneNow(stack, stage, options);
}

async function undoneNow(stack: MemoryStack, stage: ImportStage, options: UndoOptions = {}) {
  const before = writesOn(stack).length;
  const undone = await undo(stack, stage.history, { now, ...options });
  return { ...undone, writes: writesOn(stack).slice(before) };
}

const endOf = ({ outcomes, exitCode, writes }: Awaited<ReturnType<typeof undoneAfter>>, name: string) => {
  const { action, code, status } = outcomes.find((outcome) => outcome.name === name) ?? {};
  return { action, code, status, exitCode, writes };
};
const leftAlone = (code: string) => ({ action: "skip", code, status: "done", exitCode: 3, writes: [] });
const putBack = (kind: string, code: string | undefined, exitCode = 0) => ({
  action: "update",
  code,
  status: "done",
  exitCode,
  writes: [`update ${kind}`],
});

describe("an alert that was there in a form which the API takes no more", () => {
  const START = "2014-12-30T06:07:00.000Z";
  it.each<[what: string, there: JsonObject, code: string, fitted: JsonObject | undefined]>([
    [
      "a start eleven years ago",
      { scheduleStartAt: START },
      "needs-fitting",
      { scheduleStartAt: "2020-01-01T00:02:00.000Z" },
    ],
    [
      "an offset beside a start",
      { scheduleStartAt: "2025-01-01T00:00:00.000Z", scheduleOffsetMinutes: 2 },
      "needs-fitting",
      { scheduleOffsetMinutes: 0 },
    ],
    ["an offset over its interval", { scheduleOffsetMinutes: 12 }, "needs-fitting", { scheduleOffsetMinutes: 2 }],
    ["a start two years ahead", { scheduleStartAt: "2028-01-01T00:00:00.000Z" }, "over-limit", undefined],
    ["no channel", { channel: null, channels: [] }, "no-channel", undefined],
  ])(
    "is left alone and named, and put back under --fit-limits where it can be: %s",
    async (_what, there, code, fitted) => {
      const board = { ...theirs, tags: ["ours"] };
      const stack = (): MemoryStack => target({ dashboards: [board], alerts: [busy(there)] });
      const plain = await undoneAfter(stack(), { alerts: [ourBusy] });
      expect(endOf(plain, "Busy")).toEqual(leftAlone(code));
      const allowed = stack();
      const adjusted = await undoneAfter(allowed, { alerts: [ourBusy] }, { fitLimits: true });
      expect(endOf(adjusted, "Busy")).toEqual(fitted === undefined ? leftAlone(code) : putBack("alerts", "fitted"));
      if (fitted === undefined) return;
      expect(sentTo(allowed, "update alerts").at(-1)).toMatchObject({ threshold: 10, ...fitted });
      const again = await undo(allowed, adjusted.entries, { now, fitLimits: true });
      expect(again.outcomes).toEqual([]);
    },
  );

  it("is made again under --fit-limits alone, where the server had deleted it with an update", async () => {
    for (const [fitLimits, action, code] of [
      [false, "skip", "needs-fitting"],
      [true, "create", "fitted"],
    ] as const) {
      const stack = target({ alerts: [busy({ scheduleStartAt: START })] });
      stack.interceptAfter = (operation) => {
        if (operation === "update dashboards") stack.records.get("alerts")?.clear();
      };
      const stage = importStage(stack);
      await stage.run(archiveOf({}), { onConflict: "update" });
      stack.interceptAfter = () => {};
      const undone = await undoneNow(stack, stage, { fitLimits });
      expect(undone.outcomes).toContainEqual(expect.objectContaining({ name: "Busy", action, code }));
      expect(storedRecords(stack, "alerts").map(({ scheduleStartAt }) => scheduleStartAt)).toEqual(
        fitLimits ? ["2020-01-01T00:02:00.000Z"] : [],
      );
      expect(undone.exitCode).toBe(fitLimits ? 0 : 3);
    }
  });
});

describe("a dashboard that was there in a form which no write brings back", () => {
  const [logs, traces] = [hexId("b", 1), hexId("b", 2)];

  it.each<[what: string, there: JsonObject, code: string]>([
    ["a heatmap without a value", withTile(theirs, heatmap(traces, "")), "over-limit"],
    ["a heatmap of logs, which is a line by now", withTile(theirs, heatmap(logs, "Duration")), "unfit-source"],
  ])("is left alone and named, also under --fit-limits: %s", async (_what, there, code) => {
    for (const fitLimits of [false, true]) {
      const undone = await undoneAfter(target({ dashboards: [there] }), {}, { fitLimits });
      expect(endOf(undone, "Overview")).toEqual(leftAlone(code));
    }
  });

  it("is put back where the API waives its rule, as the import had left the tile", async () => {
    const there = withTile(theirs, heatmap(logs, "Duration"));
    const kept = withTile(ours, heatmap(hexId("a", 1), "Duration"));
    const undone = await undoneAfter(target({ dashboards: [there] }), { dashboards: [kept] });
    expect(endOf(undone, "Overview")).toEqual(putBack("dashboards", undefined));
  });

  it("is put back in the grid under --fit-limits", async () => {
    const [tile] = theirs["tiles"] as JsonObject[];
    const wide = { ...theirs, tiles: [{ ...tile, w: 36 }] };
    expect(endOf(await undoneAfter(target({ dashboards: [wide] }), {}), "Overview")).toEqual(
      leftAlone("needs-fitting"),
    );
    const stack = target({ dashboards: [wide] });
    const undone = await undoneAfter(stack, {}, { fitLimits: true });
    expect(endOf(undone, "Overview")).toEqual(putBack("dashboards", "fitted"));
    expect(storedRecords(stack, "dashboards")).toMatchObject([
      { tags: ["theirs"], tiles: [{ id: tileOf(theirs), w: 24 }] },
    ]);
  });

  it("comes back without its link to a dashboard that was deleted since, which is named", async () => {
    const link = { type: "dashboard", target: { mode: "id", id: hexId("b", 17) } };
    const config = { displayType: "table", sourceId: logs, select: [{ aggFn: "count" }], onClick: link };
    const other = { ...dashboard(hexId("b", 17), "Other", logs), tiles: [] };
    const stack = target({ dashboards: [withTile(theirs, config), other] });
    const between = (): void => void stack.records.get("dashboards")?.delete(hexId("b", 17));
    const stage = importStage(stack);
    await stage.run(archiveOf({}), { onConflict: "update" });
    between();
    const undone = await undoneNow(stack, stage);
    expect(endOf(undone, "Overview")).toEqual(putBack("dashboards", "left-out", 3));
    expect(JSON.stringify(storedRecords(stack, "dashboards"))).not.toContain("onClick");
  });

  it("keeps its link to a dashboard whose id it spells in another case", async () => {
    const id = hexId("b", 17);
    const link = { type: "dashboard", target: { mode: "id", id: id.toUpperCase() } };
    const config = { displayType: "table", sourceId: logs, select: [{ aggFn: "count" }], onClick: link };
    const other = { ...dashboard(id, "Other", logs), tiles: [] };
    const stack = target({ dashboards: [withTile(theirs, config), other] });
    const stage = importStage(stack);
    await stage.run(archiveOf({}), { onConflict: "update" });
    expect(JSON.stringify(storedRecords(stack, "dashboards"))).not.toContain("onClick");
    expect(endOf(await undoneNow(stack, stage), "Overview")).toEqual(putBack("dashboards", undefined));
    expect(JSON.stringify(storedRecords(stack, "dashboards"))).toContain(id.toUpperCase());
  });

  it("says which language its query gets, where it had none", async () => {
    const silent = { ...theirs, savedQuery: "level:error", savedQueryLanguage: null };
    const stack = target({ dashboards: [silent] });
    const undone = await undoneAfter(stack, {});
    expect(endOf(undone, "Overview")).toEqual(putBack("dashboards", "language-assumed"));
    expect(storedRecords(stack, "dashboards")).toMatchObject([
      { savedQuery: "level:error", savedQueryLanguage: "lucene" },
    ]);
  });

  it("is not called put back where the stack does not keep what was sent", async () => {
    const stack = target({ dashboards: [{ ...theirs, savedQuery: "level:error", savedQueryLanguage: "lucene" }] });
    const stage = importStage(stack);
    await stage.run(archiveOf({}), { onConflict: "update" });
    stack.keep = (_, { savedQuery: _dropped, ...kept }) => kept;
    const undone = await undoneNow(stack, stage);
    expect(endOf(undone, "Overview")).toEqual(putBack("dashboards", "not-stored", 3));
    expect(undone.outcomes[0]?.message).toContain("/savedQuery");
  });
});

describe("what no answer has shown of a record", () => {
  const accepted = { onConflict: "update", acceptHiddenLoss: true } as const;
  const onHidden = alert(hexId("b", 33), "On hidden", { ...theirs, tiles: [{ id: hexId("d", 9) }] }, hexId("b", 12));

  it("is lost with a dashboard that a mirror has deleted: it is made again as far as it was shown", async () => {
    const stack = target({});
    stack.substitutes.add(tileOf(theirs));
    const stage = importStage(stack);
    const mirror = { scope: "all" } as const;
    await stage.run(archiveOf({ dashboards: [dashboard(hexId("a", 17), "Other", hexId("a", 1))] }), {
      ...accepted,
      mirror,
    });
    expect(writesOn(stack)).toContain("delete dashboards");
    stack.substitutes.clear();
    const undone = await undoneNow(stack, stage);
    expect(undone.outcomes).toContainEqual(
      expect.objectContaining({ name: "Overview", action: "create", status: "done", code: "hidden-lost" }),
    );
    expect(undone.exitCode).toBe(3);
  });

  it("is lost with the tile that an alert was on: the alert is not tried in vain", async () => {
    const stack = target({ alerts: [onHidden] });
    stack.interceptAfter = (operation) => {
      if (operation === "update dashboards") stack.records.get("alerts")?.clear();
    };
    const stage = importStage(stack);
    await stage.run(archiveOf({}), accepted);
    const undone = await undoneNow(stack, stage, { acceptHiddenLoss: true });
    expect(endOf(undone, "On hidden")).toMatchObject({ action: "skip", code: "hidden-lost", exitCode: 3 });
    expect(undone.writes).toEqual(["update dashboards"]);
    // Nor is the dashboard called what it was.
    expect(endOf(undone, "Overview")).toMatchObject({ action: "update", status: "done", code: "hidden-lost" });
  });

  it("keeps what the record points to, where it is not put back", async () => {
    const stack = target({});
    const stage = importStage(stack);
    const link = { type: "dashboard", target: { mode: "id", id: hexId("a", 17) } };
    const config = { displayType: "table", sourceId: hexId("a", 1), select: [{ aggFn: "count" }], onClick: link };
    const linked = dashboard(hexId("a", 17), "Linked", hexId("a", 1));
    await stage.run(archiveOf({ dashboards: [withTile(ours, config), linked] }), { onConflict: "update" });
    const [there] = storedRecords(stack, "dashboards").filter(({ name }) => name === "Overview");
    stack.substitutes.add(tileOf(there as JsonObject));
    const undone = await undoneNow(stack, stage);
    expect(endOf(undone, "Overview")).toEqual(leftAlone("would-lose-hidden"));
    expect(endOf(undone, "Linked")).toMatchObject({ action: "skip", code: "in-use" });
  });
});

describe("an alert that its tile has kept from being written since", () => {
  const sql = (sqlTemplate: string): JsonObject => ({
    ...rawSql(hexId("c", 1), sqlTemplate, "line"),
    fillNulls: true,
  });
  const timed = sql("SELECT {intervalSeconds:Int64}");

  /** One run has changed the alert, and another the SQL of its tile. */
  async function changed(): Promise<{ readonly stack: MemoryStack; readonly stage: ImportStage }> {
    const stack = target({ dashboards: [withTile({ ...theirs, tags: [] }, timed)], alerts: [busy({})] });
    const stage = importStage(stack);
    const same = withTile({ ...ours, tags: [] }, timed);
    await stage.run(archiveOf({ dashboards: [same], alerts: [ourBusy] }), { onConflict: "update" });
    await stage.run(archiveOf({ dashboards: [withTile(ours, sql("SELECT 1"))] }), { onConflict: "update" });
    expect(writesOn(stack)).toEqual(["update alerts", "update dashboards"]);
    return { stack, stage };
  }

  it("is put back after its dashboard", async () => {
    const { stack, stage } = await changed();
    const undone = await undoneNow(stack, stage);
    expect(undone.writes).toEqual(["update dashboards", "update alerts"]);
    expect(storedRecords(stack, "alerts")).toMatchObject([{ threshold: 10 }]);
    expect(undone.exitCode).toBe(0);
  });

  it("is left alone where the dashboard stays as it is", async () => {
    const { stack, stage } = await changed();
    const undone = await undoneNow(stack, stage, { runs: [1] });
    expect(endOf(undone, "Busy")).toEqual(leftAlone("unfit-tile"));
  });
});
