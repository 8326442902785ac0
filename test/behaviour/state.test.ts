import { describe, expect, it } from "vitest";
import type { JsonObject, StageRun } from "../support/import-stage.ts";
import {
  outcomeOf,
  rememberingStage,
  sentTo,
  storedRecords,
  tileIds,
  told,
  writesOn,
} from "../support/import-stage.ts";
import { change, killed, named, namesOn, put } from "../support/memory-stack.ts";
import { archive, board, importedStage, update } from "../support/mirror-stage.ts";
import { alert, dashboard, hexId, records, source, tileOf } from "../support/stack-records.ts";
import { usualTarget } from "../support/usual-stacks.ts";

const skip = { ...update, onConflict: "skip" } as const;
const busy = alert(hexId("a", 32), "Busy", board(16), hexId("a", 2));
const ends = ({ outcomes }: StageRun): string[] =>
  told(
    outcomes.filter(({ kind }) => kind === "dashboards"),
    "name",
    "action",
    "code",
  );

describe("a record that was renamed at the source", () => {
  it("is updated, and its alert is not doubled", async () => {
    const { stack, stage } = await importedStage([board(16)], [busy]);
    const before = named(stack, "dashboards", "Board 16");
    const run = await stage.run(archive([board(16, { name: "Renamed" })], [{ ...busy, name: "Busier" }]), update);
    expect(run.exitCode).toBe(0);
    expect(namesOn(stack)).toEqual(["Renamed"]);
    expect(storedRecords(stack, "alerts")).toMatchObject([{ name: "Busier", dashboardId: before.id }]);
    expect(writesOn(stack)).toEqual(["update dashboards", "update alerts"]);
    expect(outcomeOf(run, "Renamed")).toMatchObject({ action: "update", targetName: "Board 16" });
  });

  it("is another record where nothing is remembered", async () => {
    const { stack, stage } = await importedStage([board(16)]);
    stage.memory = new Map();
    await stage.run(archive([board(16, { name: "Renamed" })]), update);
    expect(namesOn(stack)).toEqual(["Board 16", "Renamed"]);
  });

  it("is an update also without --on-conflict update", async () => {
    const { stack, stage } = await importedStage([board(16)]);
    const run = await stage.run(archive([board(16, { name: "Renamed" })]), skip);
    expect(ends(run)).toEqual(["Renamed update"]);
    expect(namesOn(stack)).toEqual(["Renamed"]);
  });

  it("gives its old name to another one", async () => {
    const { stack, stage } = await importedStage([board(16), board(17)]);
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
    const stack = usualTarget({ dashboards: [dashboard(hexId("b", 16), "Board 16", hexId("b", 1))] });
    const stage = rememberingStage(stack);
    expect(ends(await stage.run(archive([board(16)]), update))).toEqual(["Board 16 unchanged"]);
    await stage.run(archive([board(16, { name: "Renamed" })]), update);
    expect(namesOn(stack)).toEqual(["Renamed"]);
  });

  it("keeps its tiles though they have other names and queries, and so the target's alerts on them", async () => {
    const { stack, stage } = await importedStage([board(16)]);
    const before = named(stack, "dashboards", "Board 16");
    put(stack, "alerts", alert(hexId("d", 1), "Theirs", before, hexId("b", 2)));
    const [tile = {}] = board(16)["tiles"] as JsonObject[];
    const config = { displayType: "number", sourceId: hexId("a", 1), select: [{ aggFn: "sum" }] };
    const run = await stage.run(archive([board(16, { tiles: [{ ...tile, name: "Other", x: 6, config }] })]), update);
    expect(run.exitCode).toBe(0);
    const [after] = storedRecords(stack, "dashboards");
    expect(tileIds(after)).toEqual([tileOf(before)]);
    expect(after).toMatchObject({ tiles: [{ name: "Other", x: 6 }] });
  });
});

describe("a record that somebody changed on the target since the last import", () => {
  it("is left alone and named where the source has not changed", async () => {
    const { stack, stage } = await importedStage([board(16)]);
    change(stack, "dashboards", { tags: ["theirs"] }, "Board 16");
    const run = await stage.run(archive([board(16)]), update);
    expect(ends(run)).toEqual(["Board 16 skip edited"]);
    expect(run.plan.items[0]?.since).toEqual({ source: [], target: ["tags"] });
    expect(writesOn(stack)).toEqual([]);
    // And is so again and again.
    expect(ends(await stage.run(archive([board(16)]), update))).toEqual(["Board 16 skip edited"]);
  });

  it("is a conflict where the source has changed too, named with what changed on each side", async () => {
    const { stack, stage } = await importedStage([board(16)]);
    change(stack, "dashboards", { tags: ["theirs"] }, "Board 16");
    const changed = archive([board(16, { name: "Renamed" })]);
    const kept = await stage.run(changed, skip);
    expect(ends(kept)).toEqual(["Renamed skip both-changed"]);
    expect(kept.plan.items[0]?.since).toEqual({ source: ["name"], target: ["tags"] });
    expect(writesOn(stack)).toEqual([]);
    await expect(stage.run(changed, { ...update, onConflict: "fail" })).rejects.toMatchObject({ code: "incomplete" });
    const overwritten = await stage.run(changed, update);
    expect(ends(overwritten)).toEqual(["Renamed update both-changed"]);
    expect(storedRecords(stack, "dashboards")).toMatchObject([{ name: "Renamed" }]);
    expect(ends(await stage.run(changed, update))).toEqual(["Renamed unchanged"]);
  });

  it("says which tile was changed", async () => {
    const { stack, stage } = await importedStage([board(16)]);
    const before = named(stack, "dashboards", "Board 16");
    const [tile = {}] = before["tiles"] as JsonObject[];
    change(
      stack,
      "dashboards",
      {
        tiles: [
          { ...tile, w: 12 },
          { ...tile, id: hexId("e", 1), name: "New" },
        ],
      },
      "Board 16",
    );
    const run = await stage.run(archive([board(16)]), update);
    expect(run.plan.items[0]?.since?.target).toEqual(['tile "Requests"', 'tile "New"']);
  });

  it("is unchanged where the source has come to say the same", async () => {
    const { stack, stage } = await importedStage([board(16)]);
    change(stack, "dashboards", { tags: ["ours"] }, "Board 16");
    expect(ends(await stage.run(archive([board(16, { tags: ["ours"] })]), skip))).toEqual(["Board 16 unchanged"]);
  });
});

describe("a memory", () => {
  it("tells a form that the server made of a record from a change", async () => {
    const stack = usualTarget();
    const stage = rememberingStage(stack);
    stack.keep = (operation, body) => (operation.endsWith("dashboards") ? { ...body, tags: ["kept"] } : body);
    await stage.run(archive([board(16)]), update);
    const later = archive([board(16)]);
    expect(ends(await stage.run(later, update))).toEqual(["Board 16 unchanged unchanged-since-import"]);
    expect(sentTo(stack, "update dashboards")).toEqual([]);
  });

  it("makes a record again that is gone from the target", async () => {
    const { stack, stage } = await importedStage([board(16)]);
    stack.records.get("dashboards")?.clear();
    expect(ends(await stage.run(archive([board(16)]), skip))).toEqual(["Board 16 create"]);
    expect(namesOn(stack)).toEqual(["Board 16"]);
    expect(ends(await stage.run(archive([board(16)]), skip))).toEqual(["Board 16 unchanged"]);
  });

  it("knows a source by what it became, though both have other names by now", async () => {
    const { stack, stage } = await importedStage([board(16)]);
    put(stack, "sources", source(hexId("b", 1), "Renamed there", hexId("c", 2), "other"));
    const renamed = source(hexId("a", 1), "Renamed here", hexId("c", 1));
    const run = await stage.run(records({ dashboards: [board(16), board(17)], sources: [renamed] }), update);
    expect(run.plan.matches).toContainEqual(expect.objectContaining({ to: hexId("b", 1), rule: "state" }));
    expect(run.exitCode).toBe(0);
    expect(namesOn(stack)).toEqual(["Board 16", "Board 17"]);
  });

  it("gives way to the map file", async () => {
    const { stack, stage } = await importedStage([board(16)]);
    put(stack, "dashboards", dashboard(hexId("b", 40), "Chosen", hexId("b", 1)));
    const mapping = { dashboards: { [hexId("a", 16)]: hexId("b", 40) } };
    await stage.run(archive([board(16, { name: "Renamed" })]), { ...update, mapping });
    expect(namesOn(stack)).toEqual(["Board 16", "Renamed"]);
    await stage.run(archive([board(16, { name: "Renamed twice" })]), update);
    expect(namesOn(stack)).toEqual(["Board 16", "Renamed twice"]);
  });

  it("keeps what a run did not come to as it was", async () => {
    const { stack, stage } = await importedStage([board(16), board(17)]);
    const changed = archive([board(16, { name: "One" }), board(17, { name: "Two" })]);
    await killed(stack, "before", /^update dashboards$/, () => stage.run(changed, { ...update, concurrency: 1 }), 2);
    expect(ends(await stage.run(changed, update))).toEqual(["One unchanged", "Two update"]);
    expect(namesOn(stack)).toEqual(["One", "Two"]);
  });
});
