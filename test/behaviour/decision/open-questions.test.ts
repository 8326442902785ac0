import { describe, expect, it } from "vitest";
import {
  importInto,
  importStage,
  outcomeOf,
  type ImportStage,
  type JsonObject,
  type Plan,
  type StackRecord,
} from "../../support/import-stage.ts";
import { memoryStack, type MemoryStack } from "../../support/memory-stack.ts";
import {
  alert,
  dashboard,
  hexId,
  records,
  source,
  sqlDashboard,
  archiveIds,
  targetIds,
} from "../../support/stack-records.ts";
import { hook, logs, dependencies, theirLogs, archiveOf } from "../../support/import-samples.ts";

const target = (seed: Readonly<Record<string, readonly JsonObject[]>> = {}): MemoryStack =>
  memoryStack({ dashboards: [], alerts: [], ...dependencies.theirs, ...seed });
const board = (number: number, name: string, more: JsonObject = {}): JsonObject =>
  dashboard(hexId("a", number), name, archiveIds.source, more);
const theirs = (number: number, name: string, more: JsonObject = {}): JsonObject =>
  dashboard(hexId("b", number), name, targetIds.source, more);
const planned = async (stack: MemoryStack, archive: readonly StackRecord[], options = {}): Promise<Plan> =>
  (await importStage(stack).run(archive, options)).plan;
const tile = (number: number, name: string, config: JsonObject = {}): JsonObject => ({
  id: hexId("d", number),
  name,
  x: number,
  y: 0,
  w: 6,
  h: 3,
  config: { displayType: "line", ...config },
});
const click = (to: string): JsonObject => ({ onClick: { type: "dashboard", target: { mode: "id", id: to } } });

describe("a plan asks of a map file", () => {
  it("to choose among all sources, by id and name, that one of the archive could be", async () => {
    const twins = [theirLogs, source(hexId("b", 3), "Logs", hexId("c", 2))];
    const plan = await planned(target({ sources: [...twins, source(hexId("b", 4), "Other", hexId("c", 2), "t")] }), [
      ...archiveOf(board(16, "One"), board(17, "Two")),
    ]);
    expect(plan.unresolved).toEqual([
      {
        space: "sources",
        id: archiveIds.source,
        name: "Logs",
        reason: "ambiguous",
        candidates: twins.map(({ id, name }) => ({ id, name })),
        neededBy: 2,
      },
    ]);
  });

  it("to choose among all sources of the target for one that is missing", async () => {
    const there = [source(hexId("b", 3), "X", hexId("c", 2), "x"), source(hexId("b", 4), "Y", hexId("c", 2), "y")];
    const twice = board(16, "One", {
      filters: [{ id: "f1", name: "F", expression: "E", sourceId: archiveIds.source }],
    });
    const plan = await planned(target({ sources: there }), archiveOf(twice));
    expect(plan.unresolved).toEqual([
      {
        space: "sources",
        id: archiveIds.source,
        name: "Logs",
        reason: "missing",
        candidates: there.map(({ id, name }) => ({ id, name })),
        neededBy: 1,
      },
    ]);
  });

  it("to name a webhook that the target's alerts use, each once, with the first that uses it, where it lists none", async () => {
    const on = theirs(20, "Theirs");
    const used = [
      alert(hexId("b", 32), "First", on, hexId("b", 7)),
      alert(hexId("b", 33), "Second", on, hexId("b", 8)),
      alert(hexId("b", 34), "Third", on, hexId("b", 7)),
    ];
    const stack = memoryStack({ dashboards: [on], alerts: used, sources: [theirLogs] }, "managed");
    const one = board(16, "One");
    const busy = alert(hexId("a", 32), "Busy", one, archiveIds.webhook);
    const plan = await planned(stack, records({ dashboards: [one], alerts: [busy], sources: [logs] }));
    expect(plan.unresolved.map(({ space, id, name, reason }) => [space, id, name, reason])).toEqual([
      ["webhooks", archiveIds.webhook, archiveIds.webhook, "missing"],
    ]);
    const candidates = plan.unresolved[0]?.candidates ?? [];
    expect(candidates.map(({ id }) => id)).toEqual([hexId("b", 7), hexId("b", 8)]);
    expect(candidates[0]?.name).toContain("First");
    expect(candidates[1]?.name).toContain("Second");
  });

  it("to choose among the connections that the target's sources use", async () => {
    const sql = sqlDashboard(hexId("a", 16), hexId("c", 9));
    const plan = await planned(target(), records({ dashboards: [sql] }));
    expect(plan.unresolved.map(({ space, id }) => [space, id])).toEqual([["connections", hexId("c", 9)]]);
    expect(plan.unresolved[0]?.candidates.map(({ id }) => id)).toEqual([hexId("c", 2)]);
    expect(plan.unresolved[0]?.candidates[0]?.name).toContain("Logs");
  });

  it("no tile: what an alert watches is named by its dashboard", async () => {
    const one = board(16, "One");
    const busy = alert(hexId("a", 32), "Busy", one, archiveIds.webhook);
    const there = theirs(20, "One", { tiles: [tile(1, "Else")] });
    const archive = records({ dashboards: [one], alerts: [busy], ...dependencies.ours });
    const plan = await planned(target({ dashboards: [there] }), archive);
    expect(plan.items.find(({ name }) => name === "Busy")).toMatchObject({
      action: "blocked",
      code: "missing-reference",
    });
    expect(plan.unresolved).toEqual([]);
  });
});

describe("records that are never written", () => {
  const archive = records({
    dashboards: [board(16, "One")],
    sources: [logs, source(hexId("a", 3), "Gone", hexId("c", 1), "gone")],
    webhooks: [hook],
  });

  it("are named with what they were matched with, or that they were not", async () => {
    const { items } = await planned(target(), archive);
    expect(
      items.slice(1).map(({ kind, name, action, code, targetId }) => [kind, name, action, code, targetId]),
    ).toEqual([
      ["sources", "Logs", "skip", "matched", targetIds.source],
      ["sources", "Gone", "skip", "unmatched", undefined],
      ["webhooks", "oncall", "skip", "matched", targetIds.webhook],
    ]);
  });

  it("are named only where their kind is asked for", async () => {
    const { items } = await planned(target(), archive, { kinds: ["dashboards", "webhooks"] });
    expect(items.map(({ kind }) => kind)).toEqual(["dashboards", "webhooks"]);
  });
});

describe("a create of a linking dashboard without a recorded end", () => {
  /** Creates a stage whose last run was killed before the answer to its create of dashboard 16. */
  const killed = (stack: MemoryStack): ImportStage => {
    const stage = importStage(stack);
    const key = `dashboards/${hexId("a", 16)}` as const;
    stage.history.push({ type: "intent", at: "2026-01-01T00:00:00.000Z", key, name: "One", write: "create" });
    return stage;
  };
  const one = board(16, "One", { tiles: [tile(1, "To two", click(hexId("a", 17)))] });
  const two = board(17, "Two", { tiles: [tile(2, "To one", click(hexId("a", 16)))] });
  const cycle = archiveOf(one, two);
  const unlinked = (...more: JsonObject[]): JsonObject =>
    theirs(20, "One", { tiles: [tile(9, "To two", {}), ...more] });
  const itemOf = async (there: JsonObject, options = {}) =>
    outcomeOf(
      await killed(target({ dashboards: [{ ...there, description: "as the server keeps it" }] })).run(cycle, options),
      "One",
    );

  it.each([
    ["all of its tiles, but lacks its link", []],
    ["a tile more", [tile(8, "Somebody's")]],
  ])(
    "is the only new record of its name, and is kept, as nothing tells who changed it: one with %s",
    async (_, more) => {
      const there = { ...unlinked(), tiles: [{ ...tile(9, "To two", {}), x: 1 }, ...more] };
      expect(await itemOf(there)).toMatchObject({ action: "skip", code: "exists", targetId: hexId("b", 20) });
    },
  );
});

it("a record with secrets taken out lists each place to fill once, with as many rules as it holds secrets", async () => {
  const MARK = "«redacted:assigned-secret»";
  const tiles = [tile(1, `a ${MARK} b ${MARK}`), tile(2, "plain"), tile(3, MARK)];
  const plan = await planned(target(), archiveOf(board(16, "One", { tiles }), board(17, "Two")));
  expect(plan.missingSecrets.map(({ name, pointer, rules }) => [name, pointer, rules.length])).toEqual([
    ["One", "/tiles/0/name", 2],
    ["One", "/tiles/2/name", 1],
  ]);
  expect(plan.items.slice(0, 2).map(({ action }) => action)).toEqual(["blocked", "create"]);
});

it("a dead reference is named by its own place, not by that of another of its kind", async () => {
  const on = (number: number, sourceId: string): JsonObject => ({
    ...tile(number, `Tile ${number}`),
    config: { displayType: "line", sourceId, select: [{ aggFn: "count" }] },
  });
  const [here, gone] = [archiveIds.source, hexId("a", 77)];
  const archive = records({
    sources: [source(here, "Logs", hexId("c", 1))],
    dashboards: [board(16, "One", { tiles: [on(1, here), on(2, gone)] })],
  });
  const { outcomes, plan } = await importInto(target(), archive, { whole: new Set(["sources"]) });
  expect(plan.unresolved.map(({ id, reason }) => [id, reason])).toEqual([[gone, "dead"]]);
  expect(outcomes.find(({ kind }) => kind === "dashboards")).toMatchObject({
    code: "dead-reference",
    message: expect.stringContaining("(/tiles/1/config/sourceId)"),
  });
});
