import { describe, expect, it } from "vitest";
import { importStage, outcomeOf, bodiesSentTo, storedRecords, writesOn } from "../support/import-stage.ts";
import type { JsonObject, StackRecord } from "../support/import-stage.ts";
import { memoryStack, changeRecords } from "../support/memory-stack.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { alert, dashboard, hexId, records, source, tileOf, webhook } from "../support/stack-records.ts";
import { theirHook } from "../support/import-samples.ts";

const ours = (number: number, name: string, table = "otel_logs"): JsonObject =>
  source(hexId("a", number), name, hexId("c", 1), table);
const theirs = (number: number, name: string, table = "otel_logs"): JsonObject =>
  source(hexId("b", number), name, hexId("c", 2), table);
const target = (seed: Readonly<Record<string, readonly JsonObject[]>>): MemoryStack =>
  memoryStack({ dashboards: [], alerts: [], sources: [theirs(1, "Logs")], webhooks: [], ...seed });
const board = (number: number, name: string, on: number, more: JsonObject = {}): JsonObject =>
  dashboard(hexId("a", number), name, hexId("a", on), more);
const plan = async (stack: MemoryStack, archive: readonly StackRecord[], options = {}) =>
  (await importStage(stack).run(archive, options)).plan;
const matched = (made: Awaited<ReturnType<typeof plan>>, space: string): string[][] =>
  made.matches.filter((match) => match.space === space).map(({ from, to, rule }) => [from, to, rule]);

describe("a map file's entry", () => {
  it("for a dashboard whose target another line has already is refused: the second would overwrite the first", async () => {
    const stack = target({ dashboards: [dashboard(hexId("b", 17), "There", hexId("b", 1))] });
    const two = records({ sources: [ours(1, "Logs")], dashboards: [board(16, "One", 1), board(17, "Two", 1)] });
    const mapping = { dashboards: { One: "There", Two: "There" } };
    await expect(plan(stack, two, { mapping })).rejects.toMatchObject({ code: "usage" });
  });

  it("precedes the journal's pair of another dashboard, which is then created and overwrites nothing", async () => {
    const stack = target({});
    const stage = importStage(stack);
    const two = records({ sources: [ours(1, "Logs")], dashboards: [board(16, "One", 1), board(17, "Two", 1)] });
    await stage.run(two);
    const [first] = storedRecords(stack, "dashboards");
    stack.requests.length = 0;
    const run = await stage.run(two, { mapping: { dashboards: { Two: String(first?.["id"]) } }, onConflict: "update" });
    expect(outcomeOf(run, "One")).toMatchObject({ action: "create", status: "done" });
    expect(writesOn(stack).filter((write) => write === "create dashboards")).toHaveLength(1);
    expect(outcomeOf(run, "One")?.targetId).not.toBe(first?.["id"]);
  });

  const archive = records({ dashboards: [board(16, "One", 1)], sources: [ours(1, "Logs"), ours(2, "Logs", "t2")] });
  const twins = target({ sources: [theirs(1, "Twin", "t1"), theirs(2, "Twin", "t2"), theirs(3, "Logs", "t3")] });

  it.each([
    ["an id that the archive has not", { sources: { [hexId("a", 99)]: hexId("b", 1) } }],
    ["the name of another kind's", { sources: { One: hexId("b", 1) } }],
  ])("leads to a warning for %s, and matches nothing", async (_, mapping) => {
    const { warnings, matches } = await plan(twins, archive, { mapping });
    expect(warnings.map(({ code }) => code)).toContain("map-entry-unused");
    expect(matches.filter(({ space, rule }) => space === "sources" && rule === "map-file")).toEqual([]);
  });

  it.each([
    ["a name that two of the archive have", { sources: { Logs: hexId("b", 1) } }],
    ["a name that two of the target have", { sources: { [hexId("a", 1)]: "Twin" } }],
    ["a name that neither has", { webhooks: { oncall: "x" } }],
    ["an id that the target has not", { sources: { [hexId("a", 1)]: hexId("b", 99) } }],
    ["tiles", { "dashboards/tiles": { x: "y" } }],
  ])("is refused for %s", async (_, mapping) => {
    await expect(importStage(twins).run(archive, { mapping })).rejects.toMatchObject({ code: "usage" });
  });

  it("takes an id before a name that looks the same", async () => {
    const named = theirs(8, hexId("b", 3), "t8");
    const stack = target({ sources: [named, theirs(3, "Right", "t3")] });
    const made = await plan(stack, records({ dashboards: [board(16, "One", 1)], sources: [ours(1, "Logs", "t1")] }), {
      mapping: { sources: { [hexId("a", 1)]: hexId("b", 3) } },
    });
    expect(matched(made, "sources")).toEqual([[hexId("a", 1), hexId("b", 3), "map-file"]]);
  });

  it("pairs a dashboard with a dashboard of another name, and precedes the journal", async () => {
    const stack = target({ dashboards: [dashboard(hexId("b", 20), "Other name", hexId("b", 1))] });
    const stage = importStage(stack);
    const one = records({ dashboards: [board(16, "One", 1)], sources: [ours(1, "Logs")] });
    await stage.run(one);
    const run = await stage.run(one, { mapping: { dashboards: { One: "Other name" } } });
    expect(outcomeOf(run, "One")).toMatchObject({ action: "skip", targetId: hexId("b", 20) });
  });

  it("may name a webhook id that only alerts hold when the target does not list webhooks", async () => {
    const hooked = alert(hexId("a", 32), "Slow", board(16, "One", 1), hexId("a", 7));
    const stack = memoryStack({ dashboards: [], alerts: [], sources: [theirs(1, "Logs")] }, "managed");
    const made = records({ dashboards: [board(16, "One", 1)], alerts: [hooked], sources: [ours(1, "Logs")] });
    await importStage(stack).run(made, { mapping: { webhooks: { [hexId("a", 7)]: hexId("b", 7) } } });
    expect(bodiesSentTo(stack, "create alerts")).toMatchObject([{ channel: { webhookId: hexId("b", 7) } }]);
  });
});

describe("dashboards of one name", () => {
  const one = records({ dashboards: [board(16, "One", 1, { tags: ["ours"] })], sources: [ours(1, "Logs")] });
  const there = (number: number, name = "One", tags = [`t${number}`]): JsonObject =>
    dashboard(hexId("b", number), name, hexId("b", 1), { tags });

  it("on the target are not chosen between: blocked, or copied where copies are asked for", async () => {
    const seed = { dashboards: [there(20), there(21)] };
    expect((await plan(target(seed), one)).items[0]).toMatchObject({ action: "blocked", code: "ambiguous-dashboard" });
    expect((await plan(target(seed), one, { onConflict: "update" })).items[0]?.action).toBe("blocked");
    expect((await plan(target(seed), one, { onConflict: "duplicate" })).items[0]?.action).toBe("create");
  });

  it("in the archive are not chosen between for one of the target's", async () => {
    const two = records({
      dashboards: [board(16, "One", 1, { tags: ["x"] }), board(17, "One", 1, { tags: ["y"] })],
      sources: [ours(1, "Logs")],
    });
    const { items } = await plan(target({ dashboards: [there(20)] }), two, { onConflict: "update" });
    expect(items.slice(0, 2).map(({ code }) => code)).toEqual(["ambiguous-dashboard", "ambiguous-dashboard"]);
  });

  it("are told apart by content, and the remaining pair is the changed dashboard", async () => {
    const two = records({
      dashboards: [board(16, "One", 1, { tags: ["x"] }), board(17, "One", 1, { tags: ["y"] })],
      sources: [ours(1, "Logs")],
    });
    const stack = target({ dashboards: [there(20, "One", ["z"]), there(21, "One", ["x"])] });
    const { items } = await plan(stack, two);
    expect(items.slice(0, 2).map(({ action, targetId }) => [action, targetId])).toEqual([
      ["unchanged", hexId("b", 21)],
      ["skip", hexId("b", 20)],
    ]);
  });

  it("are not matched if their names differ by case", async () => {
    const stack = target({ dashboards: [there(20, "ONE")] });
    expect((await plan(stack, one)).items[0]).toMatchObject({ action: "create" });
    expect(storedRecords(stack, "dashboards")).toHaveLength(2);
  });

  it("are matched with themselves on the archive's own stack under a new name", async () => {
    const stack = target({
      sources: [ours(1, "Logs")],
      dashboards: [{ ...board(16, "Renamed", 1) }, { ...board(18, "One", 1, { tags: ["someone's"] }) }],
    });
    expect((await plan(stack, one, { onConflict: "update" })).items[0]).toMatchObject({
      action: "update",
      targetId: hexId("a", 16),
    });
  });
});

describe("alerts of one name", () => {
  const [first, second] = [board(16, "One", 1), board(17, "Two", 1)];
  const hook = webhook(hexId("a", 2), "oncall");
  const slow = (number: number, on: JsonObject): JsonObject => alert(hexId("a", number), "Slow", on, hexId("a", 2));

  it("are told apart by the tile that they watch", async () => {
    const archive = records({
      dashboards: [first, second],
      alerts: [slow(32, first), slow(33, second)],
      sources: [ours(1, "Logs")],
      webhooks: [hook],
    });
    const stack = target({ webhooks: [theirHook] });
    await importStage(stack).run(archive);
    changeRecords(stack, "alerts", { threshold: 99 });
    const { items } = await plan(stack, archive, { onConflict: "update" });
    expect(items.filter(({ kind }) => kind === "alerts").map(({ action }) => action)).toEqual(["update", "update"]);
    for (const number of [32, 33]) {
      const item = items.find(({ sourceId }) => sourceId === hexId("a", number));
      const on = items.find(({ sourceId }) => sourceId === hexId("a", number - 16));
      expect(stack.records.get("alerts")?.get(item?.targetId ?? "")?.["dashboardId"]).toBe(on?.targetId);
    }
  });

  it("without a name follow a copy of their dashboard", async () => {
    const unnamed = alert(hexId("a", 32), null, first, hexId("a", 2));
    const there = dashboard(hexId("b", 20), "One", hexId("b", 1), { tags: ["theirs"] });
    const stack = target({ dashboards: [there], webhooks: [theirHook] });
    const archive = records({ dashboards: [first], alerts: [unnamed], sources: [ours(1, "Logs")], webhooks: [hook] });
    await importStage(stack).run(archive, { onConflict: "duplicate", naming: { namePrefix: "", tags: [] } });
    const copy = storedRecords(stack, "dashboards").find(({ id }) => id !== hexId("b", 20)) as JsonObject;
    expect(bodiesSentTo(stack, "create alerts")).toMatchObject([{ dashboardId: copy["id"], tileId: tileOf(copy) }]);
  });

  it("without a name follow a copy under another name on the stack of the archive", async () => {
    const unnamed = alert(hexId("a", 32), null, first, hexId("a", 2));
    const content = { dashboards: [first], alerts: [unnamed], sources: [ours(1, "Logs")], webhooks: [hook] };
    const stack = memoryStack(content);
    const stage = importStage(stack);
    const options = { naming: { namePrefix: "Copy ", tags: [] } };
    await stage.run(records(content), options);
    const copy = storedRecords(stack, "dashboards").find(({ name }) => name === "Copy One") as JsonObject;
    expect(bodiesSentTo(stack, "create alerts")).toMatchObject([{ dashboardId: copy["id"], tileId: tileOf(copy) }]);
    const { plan: second } = await importStage(stack).run(records(content), options);
    expect(second.items.filter(({ action }) => action === "create")).toEqual([]);
  });
});
