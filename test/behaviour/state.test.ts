import { describe, expect, it } from "vitest";
import type { ImportStage, JsonObject, StageRun } from "../support/import-stage.ts";
import { outcomeOf, rememberingStage, sentTo, storedRecords, tileIds, writesOn } from "../support/import-stage.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { memoryStack, put } from "../support/memory-stack.ts";
import { alert, dashboard, hexId, records, source, tileOf } from "../support/stack-records.ts";
import { needs } from "../support/usual-stacks.ts";

const there = { ...needs.theirs };
const update = { onConflict: "update", source: { variant: "self-hosted", baseUrl: "http://other.test" } } as const;
const skip = { ...update, onConflict: "skip" } as const;

const target = (dashboards: readonly JsonObject[] = []): MemoryStack =>
  memoryStack({ dashboards, alerts: [], ...there });
const board = (number: number, more: JsonObject = {}): JsonObject =>
  dashboard(hexId("a", number), `Board ${number}`, hexId("a", 1), more);
const busy = alert(hexId("a", 32), "Busy", board(16), hexId("a", 2));
const archive = (dashboards: readonly JsonObject[], alerts: readonly JsonObject[] = []) =>
  records({ dashboards, alerts, ...needs.ours });

/** Somebody edits the one dashboard of that name on the target. */
function edit(stack: MemoryStack, name: string, change: JsonObject): void {
  const [body] = storedRecords(stack, "dashboards").filter((each) => each["name"] === name);
  stack.records.get("dashboards")?.set(String(body?.["id"]), { ...(body as JsonObject), ...change });
}

/** A target that was imported to once, and what has been asked of it forgotten. */
async function imported(
  dashboards: readonly JsonObject[],
  alerts: readonly JsonObject[] = [],
): Promise<{ stack: MemoryStack; stage: ImportStage }> {
  const stack = target();
  const stage = rememberingStage(stack);
  const { exitCode } = await stage.run(archive(dashboards, alerts), update);
  expect(exitCode).toBe(0);
  stack.requests.length = 0;
  return { stack, stage };
}

const names = (stack: MemoryStack): unknown[] => storedRecords(stack, "dashboards").map(({ name }) => name);
const ends = ({ outcomes }: StageRun): unknown[] =>
  outcomes.filter(({ kind }) => kind === "dashboards").map(({ name, action, code }) => [name, action, code]);

describe("a record that was renamed at the source", () => {
  it("is updated, and its alert is not doubled", async () => {
    const { stack, stage } = await imported([board(16)], [busy]);
    const [before] = storedRecords(stack, "dashboards");
    const run = await stage.run(archive([board(16, { name: "Renamed" })], [{ ...busy, name: "Busier" }]), update);
    expect(run.exitCode).toBe(0);
    expect(names(stack)).toEqual(["Renamed"]);
    expect(storedRecords(stack, "alerts")).toMatchObject([{ name: "Busier", dashboardId: before?.["id"] }]);
    expect(writesOn(stack)).toEqual(["update dashboards", "update alerts"]);
    expect(outcomeOf(run, "Renamed")).toMatchObject({ action: "update", targetName: "Board 16" });
  });

  it("is another record where nothing is remembered", async () => {
    const { stack, stage } = await imported([board(16)]);
    stage.memory = new Map();
    await stage.run(archive([board(16, { name: "Renamed" })]), update);
    expect(names(stack)).toEqual(["Board 16", "Renamed"]);
  });

  it("is an update also without --on-conflict update", async () => {
    const { stack, stage } = await imported([board(16)]);
    const run = await stage.run(archive([board(16, { name: "Renamed" })]), skip);
    expect(ends(run)).toEqual([["Renamed", "update", undefined]]);
    expect(names(stack)).toEqual(["Renamed"]);
  });

  it("gives its old name to another one", async () => {
    const { stack, stage } = await imported([board(16), board(17)]);
    const ids = new Map(storedRecords(stack, "dashboards").map(({ id, name }) => [name, id]));
    await stage.run(archive([board(16, { name: "Board 17" }), board(17, { name: "Board 16" })]), update);
    expect(new Map(storedRecords(stack, "dashboards").map(({ id, name }) => [name, id]))).toEqual(
      new Map([
        ["Board 17", ids.get("Board 16")],
        ["Board 16", ids.get("Board 17")],
      ]),
    );
  });

  it("is remembered though it was there before the first import and nothing had to be written", async () => {
    const stack = target([dashboard(hexId("b", 16), "Board 16", hexId("b", 1))]);
    const stage = rememberingStage(stack);
    expect(ends(await stage.run(archive([board(16)]), update))).toEqual([["Board 16", "unchanged", undefined]]);
    await stage.run(archive([board(16, { name: "Renamed" })]), update);
    expect(names(stack)).toEqual(["Renamed"]);
  });

  it("keeps its tiles though they have other names and queries, and so the target's alerts on them", async () => {
    const { stack, stage } = await imported([board(16)]);
    const [before] = storedRecords(stack, "dashboards");
    stack.records
      .get("alerts")
      ?.set(hexId("d", 1), alert(hexId("d", 1), "Theirs", before as JsonObject, hexId("b", 2)));
    const [tile = {}] = board(16)["tiles"] as JsonObject[];
    const config = { displayType: "number", sourceId: hexId("a", 1), select: [{ aggFn: "sum" }] };
    const run = await stage.run(archive([board(16, { tiles: [{ ...tile, name: "Other", x: 6, config }] })]), update);
    expect(run.exitCode).toBe(0);
    const [after] = storedRecords(stack, "dashboards");
    expect(tileIds(after)).toEqual([tileOf(before as JsonObject)]);
    expect(after).toMatchObject({ tiles: [{ name: "Other", x: 6 }] });
  });
});

describe("a record that somebody changed on the target since the last import", () => {
  it("is left alone and named where the source has not changed", async () => {
    const { stack, stage } = await imported([board(16)]);
    edit(stack, "Board 16", { tags: ["theirs"] });
    const run = await stage.run(archive([board(16)]), update);
    expect(ends(run)).toEqual([["Board 16", "skip", "edited"]]);
    expect(run.plan.items[0]?.since).toEqual({ source: [], target: ["tags"] });
    expect(writesOn(stack)).toEqual([]);
    // And is so again and again.
    expect(ends(await stage.run(archive([board(16)]), update))).toEqual([["Board 16", "skip", "edited"]]);
  });

  it("is a conflict where the source has changed too, named with what changed on each side", async () => {
    const { stack, stage } = await imported([board(16)]);
    edit(stack, "Board 16", { tags: ["theirs"] });
    const changed = archive([board(16, { name: "Renamed" })]);
    const kept = await stage.run(changed, skip);
    expect(ends(kept)).toEqual([["Renamed", "skip", "both-changed"]]);
    expect(kept.plan.items[0]?.since).toEqual({ source: ["name"], target: ["tags"] });
    expect(writesOn(stack)).toEqual([]);
    await expect(stage.run(changed, { ...update, onConflict: "fail" })).rejects.toMatchObject({ code: "incomplete" });
    const overwritten = await stage.run(changed, update);
    expect(ends(overwritten)).toEqual([["Renamed", "update", "both-changed"]]);
    expect(storedRecords(stack, "dashboards")).toMatchObject([{ name: "Renamed" }]);
    expect(ends(await stage.run(changed, update))).toEqual([["Renamed", "unchanged", undefined]]);
  });

  it("says which tile was changed", async () => {
    const { stack, stage } = await imported([board(16)]);
    const [before] = storedRecords(stack, "dashboards");
    const [tile = {}] = (before?.["tiles"] ?? []) as JsonObject[];
    edit(stack, "Board 16", {
      tiles: [
        { ...tile, w: 12 },
        { ...tile, id: hexId("e", 1), name: "New" },
      ],
    });
    const run = await stage.run(archive([board(16)]), update);
    expect(run.plan.items[0]?.since?.target).toEqual(['tile "Requests"', 'tile "New"']);
  });

  it("is unchanged where the source has come to say the same", async () => {
    const { stack, stage } = await imported([board(16)]);
    edit(stack, "Board 16", { tags: ["ours"] });
    expect(ends(await stage.run(archive([board(16, { tags: ["ours"] })]), skip))).toEqual([
      ["Board 16", "unchanged", undefined],
    ]);
  });
});

describe("a memory", () => {
  it("tells a form that the server made of a record from a change", async () => {
    const stack = target();
    const stage = rememberingStage(stack);
    stack.keep = (operation, body) => (operation.endsWith("dashboards") ? { ...body, tags: ["kept"] } : body);
    await stage.run(archive([board(16)]), update);
    const later = archive([board(16)]);
    expect(ends(await stage.run(later, update))).toEqual([["Board 16", "unchanged", "unchanged-since-import"]]);
    expect(sentTo(stack, "update dashboards")).toEqual([]);
  });

  it("makes a record again that is gone from the target", async () => {
    const { stack, stage } = await imported([board(16)]);
    stack.records.get("dashboards")?.clear();
    expect(ends(await stage.run(archive([board(16)]), skip))).toEqual([["Board 16", "create", undefined]]);
    expect(names(stack)).toEqual(["Board 16"]);
    expect(ends(await stage.run(archive([board(16)]), skip))).toEqual([["Board 16", "unchanged", undefined]]);
  });

  it("knows a source by what it became, though both have other names by now", async () => {
    const { stack, stage } = await imported([board(16)]);
    put(stack, "sources", source(hexId("b", 1), "Renamed there", hexId("c", 2), "other"));
    const renamed = source(hexId("a", 1), "Renamed here", hexId("c", 1));
    const run = await stage.run(records({ dashboards: [board(16), board(17)], sources: [renamed] }), update);
    expect(run.plan.matches).toContainEqual(expect.objectContaining({ to: hexId("b", 1), rule: "state" }));
    expect(run.exitCode).toBe(0);
    expect(names(stack)).toEqual(["Board 16", "Board 17"]);
  });

  it("gives way to the map file", async () => {
    const { stack, stage } = await imported([board(16)]);
    const other = dashboard(hexId("b", 40), "Chosen", hexId("b", 1));
    stack.records.get("dashboards")?.set(hexId("b", 40), other);
    const mapping = { dashboards: { [hexId("a", 16)]: hexId("b", 40) } };
    await stage.run(archive([board(16, { name: "Renamed" })]), { ...update, mapping });
    expect(names(stack)).toEqual(["Board 16", "Renamed"]);
    await stage.run(archive([board(16, { name: "Renamed twice" })]), update);
    expect(names(stack)).toEqual(["Board 16", "Renamed twice"]);
  });

  it("keeps what a run did not come to as it was", async () => {
    const { stack, stage } = await imported([board(16), board(17)]);
    const changed = archive([board(16, { name: "One" }), board(17, { name: "Two" })]);
    stack.intercept = (operation, body) => {
      if (operation === "update dashboards" && body?.["name"] === "Two") throw new Error("killed");
    };
    await expect(stage.run(changed, { ...update, concurrency: 1 })).rejects.toThrow("killed");
    stack.intercept = () => {};
    expect(ends(await stage.run(changed, update))).toEqual([
      ["One", "unchanged", undefined],
      ["Two", "update", undefined],
    ]);
    expect(names(stack)).toEqual(["One", "Two"]);
  });
});
