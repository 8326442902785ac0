import { describe, expect, it } from "vitest";
import type { JsonObject } from "../support/import-stage.ts";
import { importStage, outcomeOf, bodiesSentTo, warningMessages, writesOn } from "../support/import-stage.ts";
import { memoryStack, refusalError, failOperation, storedRecord } from "../support/memory-stack.ts";
import { alert, dashboard, hexId, records, source, tileWith, webhook } from "../support/stack-records.ts";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { documentOf } from "../support/run-cli.ts";
import type { SmallBench } from "../support/small-bench.ts";
import { emptyStack, outcomesOf, smallBench } from "../support/small-bench.ts";

const archive = records({ dashboards: [dashboard(hexId("a", 16), "One", "", { tags: ["x"] })] });
const empty = () => memoryStack({ dashboards: [], alerts: [], sources: [], webhooks: [] });

it("an import plans nothing if a list of the target cannot be read", async () => {
  const stack = empty();
  failOperation(stack, "list dashboards", () => refusalError("unauthorized", "no"));
  await expect(importStage(stack).run(archive)).rejects.toMatchObject({ code: "unauthorized" });
  expect(writesOn(stack)).toEqual([]);
});

it("a record that somebody has renamed and changed is matched by the journal", async () => {
  const stack = empty();
  const stage = importStage(stack);
  const made = outcomeOf(await stage.run(archive), "One")?.targetId ?? "";
  const now = stack.records.get("dashboards")?.get(made) ?? {};
  stack.records.get("dashboards")?.set(made, { ...now, name: "Renamed", tags: ["theirs"] });
  expect(outcomeOf(await stage.run(archive), "One")).toMatchObject({ action: "skip", targetId: made });
  expect(bodiesSentTo(stack, "create dashboards")).toHaveLength(1);
});

const SOURCE = hexId("b", 1);
const listed = records({
  dashboards: [dashboard(hexId("a", 1), "One", SOURCE)],
  sources: [source(SOURCE, "Logs", hexId("c", 1))],
});

it("a record of the target that cannot be read is named", async () => {
  const stack = memoryStack({
    dashboards: [{ id: hexId("d", 1), name: 7, tiles: "none" }],
    alerts: [],
    sources: [source(hexId("d", 2), "Logs", hexId("d", 3))],
    webhooks: [],
  });
  const { events } = await importStage(stack).run(listed);
  expect(events).toContainEqual({
    type: "warning",
    warning: expect.objectContaining({ code: "unreadable-record", message: expect.stringContaining(hexId("d", 1)) }),
  });
});

it("a webhook's name in the map file is accepted although no alert of the archive uses the webhook", async () => {
  const stack = memoryStack({ dashboards: [], alerts: [], sources: [], webhooks: [webhook(hexId("d", 1), "There")] });
  const archived = records({
    webhooks: [webhook(hexId("a", 2), "Here")],
    dashboards: [dashboard(hexId("a", 1), "One", "")],
  });
  const { plan } = await importStage(stack).run(archived, { mapping: { webhooks: { Here: "There" } } });
  // The target lists its webhooks, so the run need not verify the id.
  expect(plan.matches).toEqual([
    { space: "webhooks", from: hexId("a", 2), to: hexId("d", 1), name: "Here", targetName: "There", rule: "map-file" },
  ]);
});

it("a matched webhook is not replaced by the default webhook", async () => {
  const [matched, missing, there, fallback] = [hexId("c", 1), hexId("c", 2), hexId("d", 1), hexId("d", 2)] as const;
  const board = dashboard(hexId("a", 1), "One", SOURCE);
  const archived = records({
    dashboards: [board],
    alerts: [alert(hexId("a", 2), "first", board, matched), alert(hexId("a", 3), "second", board, missing)],
    sources: [source(SOURCE, "Logs", hexId("c", 9))],
    webhooks: [webhook(matched, "oncall"), webhook(missing, "gone")],
  });
  const stack = memoryStack({
    dashboards: [],
    alerts: [],
    sources: [source(hexId("d", 3), "Logs", hexId("d", 4))],
    webhooks: [webhook(there, "oncall"), webhook(fallback, "catch-all")],
  });
  const { plan } = await importStage(stack).run(archived, { defaults: { webhooks: "catch-all" } });
  const sent = bodiesSentTo(stack, "create alerts").map(({ name, channel }) => [name, channel]);
  expect(sent).toEqual([
    ["first", { type: "webhook", webhookId: there }],
    ["second", { type: "webhook", webhookId: fallback }],
  ]);
  expect(plan.matches.filter(({ from }) => from === matched).map(({ rule }) => rule)).toEqual(["equal-content"]);
});

it("dashboards of one name are told apart by the dashboards that they link to and the sources they read", async () => {
  const link = (to: string) => ({ onClick: { type: "dashboard", target: { mode: "id", id: to } } });
  const twin = (id: string, to: string, from: string): JsonObject => {
    const body = dashboard(id, "Twin", from);
    const [tile] = body["tiles"] as readonly { config: JsonObject }[];
    return { ...body, tiles: [{ ...tile, config: { ...tile?.config, displayType: "table", ...link(to) } }] };
  };
  const side = (letter: "a" | "d") => {
    const id = (number: number) => hexId(letter, number);
    const logs = source(id(9), "Logs", id(8));
    const leaves = [dashboard(id(1), "Left", id(9)), dashboard(id(2), "Right", id(9))];
    const twins = [twin(id(3), id(1), id(9)), twin(id(4), id(2), id(9))];
    return { dashboards: [...leaves, ...(letter === "a" ? twins : twins.toReversed())], sources: [logs] };
  };
  const stack = memoryStack({ ...side("d"), alerts: [], webhooks: [] });
  const { plan } = await importStage(stack).run(records(side("a")));
  const pairs = plan.items.flatMap((item) =>
    item.name === "Twin" ? [[item.sourceId, item.targetId, item.action]] : [],
  );
  expect(pairs).toEqual([
    [hexId("a", 3), hexId("d", 3), "unchanged"],
    [hexId("a", 4), hexId("d", 4), "unchanged"],
  ]);
  expect(writesOn(stack)).toEqual([]);
});

/** Creates a bench whose target has two sources with the name of the archive's source. */
function twoLogs(): Promise<SmallBench> {
  const seed = emptyStack("b");
  return smallBench({ ...seed, sources: [...(seed.sources ?? []), source(hexId("b", 4), "Logs", hexId("b", 8))] });
}

it.each([
  ["where dashboards need one of them", [], 3],
  ["where nothing that is written needs one of them", ["--kinds", "sources,saved-searches"], 0],
] as const)("two sources of one name are ambiguous, and the drafted map asks which, %s", async (_, more, exitCode) => {
  await using stage = await twoLogs();
  const run = await stage.import("--dry-run", "--draft-map", "map.yaml", ...more);
  expect(run.exitCode, run.stdout).toBe(exitCode);
  const { unresolved } = documentOf(run);
  const candidates = [{ id: hexId("b", 1) }, { id: hexId("b", 4) }];
  expect(unresolved).toMatchObject([{ space: "sources", id: hexId("a", 1), reason: "ambiguous", candidates }]);
  expect(outcomesOf(run)).toContainEqual(expect.objectContaining({ kind: "sources", code: "ambiguous-source" }));
  const map = await readFile(join(stage.cwd, "map.yaml"), "utf8");
  for (const id of [hexId("a", 1), hexId("b", 1), hexId("b", 4)]) expect(map).toContain(id);
  const before = outcomesOf(run).filter(({ action }) => action === "create");
  expect(before).toEqual([]);
});

describe("an alert on another tile than the target's alert of its name, without a state", () => {
  const config = { displayType: "line", sourceId: SOURCE, select: [{ aggFn: "count" }] };
  const tiles = ["CPU", "Memory"].map((name, at) => tileWith(hexId("b", 20 + at), name, config, { x: 6 * at }));
  const board = dashboard(hexId("a", 1), "One", SOURCE, { tiles });
  const busy = (number: number, tile: number, name: string | null = "Busy") =>
    alert(hexId("a", number), name, board, hexId("b", 2), { tileId: hexId("b", 20 + tile) });
  const archiveOf = (...alerts: JsonObject[]) =>
    records({
      dashboards: [board],
      alerts,
      sources: [source(SOURCE, "Logs", hexId("c", 1))],
      webhooks: [webhook(hexId("b", 2), "pager")],
    });
  const fromOther = { source: { variant: "self-hosted", baseUrl: "http://other.test" } } as const;

  /** Imports the alert on the first tile. Later runs do not get this run's journal. */
  async function imported(name: string | null = "Busy") {
    const logs = source(hexId("d", 1), "Logs", hexId("d", 8));
    const stack = memoryStack({
      dashboards: [],
      alerts: [],
      sources: [logs],
      webhooks: [webhook(hexId("d", 2), "pager")],
    });
    await importStage(stack).run(archiveOf(busy(32, 0, name)), fromOther);
    const [targetId = ""] = stack.records.get("alerts")?.keys() ?? [];
    return { stack, targetId };
  }

  it.each(["Busy", null])("is created as a second one, and the plan names both (name: %s)", async (name) => {
    const { stack, targetId } = await imported(name);
    const { plan } = await importStage(stack).run(archiveOf(busy(32, 1, name)), fromOther);
    expect(warningMessages(plan, "created-beside")).toEqual([expect.stringContaining(targetId)]);
    expect(bodiesSentTo(stack, "create alerts")).toHaveLength(2);
  });

  it.each([
    ["is named with it if it is of the same name and content", "Busy", {}, true],
    ["is its own without a name", null, {}, false],
    ["is its own if the content differs", "Busy", { threshold: 7 }, false],
  ] as const)("on another dashboard: the new one %s", async (_, name, change, isNamed) => {
    const { stack, targetId } = await imported(name);
    const other = dashboard(hexId("a", 2), "Two", SOURCE, { tiles: [tileWith(hexId("b", 30), "CPU", config)] });
    const moved = { ...alert(hexId("a", 32), name, other, hexId("b", 2)), ...change };
    const archive = [...archiveOf(), ...records({ dashboards: [other], alerts: [moved] })];
    const { plan } = await importStage(stack).run(archive, fromOther);
    const named = isNamed ? [expect.stringContaining(targetId)] : [];
    expect(warningMessages(plan, "created-beside")).toEqual(named);
    expect(bodiesSentTo(stack, "create alerts")).toHaveLength(2);
  });

  it("is moved if a map file names it", async () => {
    const { stack, targetId } = await imported();
    const mapping = { alerts: { [hexId("a", 32)]: targetId } };
    const run = await importStage(stack).run(archiveOf(busy(32, 1)), { ...fromOther, mapping, onConflict: "update" });
    expect(warningMessages(run.plan, "created-beside")).toEqual([]);
    expect(bodiesSentTo(stack, "create alerts")).toHaveLength(1);
    expect(storedRecord(stack, "alerts", "Busy")["tileId"]).toBe(
      (storedRecord(stack, "dashboards", "One")["tiles"] as JsonObject[])[1]?.["id"],
    );
  });

  it("is no second one if the source has both", async () => {
    const { stack } = await imported();
    const { plan } = await importStage(stack).run(archiveOf(busy(32, 0), busy(33, 1)), fromOther);
    expect(warningMessages(plan, "created-beside")).toEqual([]);
  });
});
