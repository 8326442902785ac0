import { describe, expect, it } from "vitest";
import type { JsonObject, RunOptions } from "../support/import-stage.ts";
import { importStage, outcomeOf, sentTo, writesOn } from "../support/import-stage.ts";
import { memoryStack } from "../support/memory-stack.ts";
import { alert, dashboard, hexId, records, source, sqlDashboard, tileWith, webhook } from "../support/stack-records.ts";

const elsewhere = { variant: "self-hosted", baseUrl: "http://elsewhere.test" } as const;
const ours = source(hexId("a", 1), "Logs", hexId("c", 1));
const bare = { alerts: [], sources: [ours], webhooks: [], dashboards: [] };
const onto = (seed: Readonly<Record<string, readonly JsonObject[]>>) => memoryStack({ ...bare, ...seed });

describe("a webhook that the target does not list", () => {
  const board = dashboard(hexId("a", 16), "Board", hexId("a", 1));
  const watching = (hook: string, count: number) =>
    Array.from({ length: count }, (_, at) => alert(hexId("a", 20 + at), `Alert ${at}`, board, hook));
  const archived = records({
    dashboards: [board],
    sources: [ours],
    alerts: watching(hexId("a", 2), 2),
    webhooks: [webhook(hexId("a", 2), "pager")],
  });
  const run = async (options: RunOptions) => {
    const seed = { dashboards: [board], sources: [ours], alerts: watching(hexId("b", 2), 1) };
    const stack = memoryStack(seed, "managed");
    const { plan } = await importStage(stack).run(archived, { ...options, source: elsewhere });
    const sent = sentTo(stack, "create alerts").map(({ channel }) => channel);
    return { rules: plan.matches.filter(({ space }) => space === "webhooks").map(({ to, rule }) => [to, rule]), sent };
  };

  it("is the one that the map file says, whatever the paired alerts use", async () => {
    const mapping = { webhooks: { [hexId("a", 2)]: hexId("b", 7) } };
    const { rules, sent } = await run({ mapping });
    expect(rules).toEqual([[hexId("b", 7), "map-file"]]);
    expect(sent).toEqual([{ type: "webhook", webhookId: hexId("b", 7) }]);
  });

  it("is told apart from another one that other alerts use", async () => {
    const hooks = (letter: "a" | "b", count: number) =>
      Array.from({ length: count }, (_, at) =>
        alert(hexId("a", 20 + at), `Alert ${at}`, board, hexId(letter, 2 + (at % 2))),
      );
    const stack = memoryStack({ dashboards: [board], sources: [ours], alerts: hooks("b", 2) }, "managed");
    const webhooks = [webhook(hexId("a", 2), "pager"), webhook(hexId("a", 3), "chat")];
    const all = records({ dashboards: [board], sources: [ours], alerts: hooks("a", 4), webhooks });
    const { plan } = await importStage(stack).run(all, { source: elsewhere });
    expect(plan.matches.filter(({ rule }) => rule === "in-use").map(({ from, to }) => [from, to])).toEqual([
      [hexId("a", 2), hexId("b", 2)],
      [hexId("a", 3), hexId("b", 3)],
    ]);
  });

  it("is the default where there is one, and only else the one that the paired alerts use", async () => {
    expect((await run({ defaults: { webhooks: hexId("b", 8) } })).rules).toEqual([[hexId("b", 8), "default"]]);
    expect((await run({})).rules).toEqual([[hexId("b", 2), "in-use"]]);
  });
});

describe("a source of the same id on another stack that is like it in nothing else", () => {
  const sql = sqlDashboard(hexId("a", 16), hexId("c", 1));
  const archived = records({ dashboards: [sql], sources: [ours] });

  it("teaches no connection", async () => {
    const stack = onto({ sources: [source(hexId("a", 1), "Traces", hexId("c", 7), "t7")] });
    const done = await importStage(stack).run(archived, { source: elsewhere });
    expect(outcomeOf(done, "SQL")).toMatchObject({ action: "blocked", code: "missing-connection" });
    expect(done.plan.matches).toEqual([]);
  });

  it("teaches nothing beside one that it could be, which does", async () => {
    const twins = [1, 2].map((number) => source(hexId("b", number), "Logs", hexId("c", 8)));
    const stack = onto({ sources: [source(hexId("a", 1), "Logs", hexId("c", 7), "t7"), ...twins] });
    const archive = records({ dashboards: [sql], sources: [source(hexId("a", 5), "Logs", hexId("c", 1))] });
    const { plan } = await importStage(stack).run(archive, { source: elsewhere });
    expect(plan.matches).toMatchObject([{ space: "connections", to: hexId("c", 8), rule: "inferred" }]);
  });
});

it("a source without a connection keeps no other from teaching one", async () => {
  const sql = sqlDashboard(hexId("a", 16), hexId("c", 1));
  const other = source(hexId("a", 2), "Traces", hexId("c", 1), "t2");
  const { connection: _none, ...without } = source(hexId("b", 1), "Logs", "");
  const stack = onto({ sources: [without, source(hexId("b", 2), "Traces", hexId("c", 8), "t2")] });
  const archived = records({ dashboards: [sql], sources: [ours, other] });
  const { plan } = await importStage(stack).run(archived, { source: elsewhere });
  expect(plan.matches).toContainEqual(expect.objectContaining({ space: "connections", to: hexId("c", 8) }));
});

it("one of the same id does not stand in for the two that a dashboard's name leads to", async () => {
  const tile = tileWith(hexId("d", 9), "Else", { displayType: "markdown", markdown: "m" });
  const twins = [8, 9].map((number) => dashboard(hexId("b", number), "Ours", "", { tags: [`t${number}`] }));
  const stack = onto({ dashboards: [dashboard(hexId("a", 16), "Theirs", "", { tiles: [tile] }), ...twins] });
  const archived = records({ dashboards: [dashboard(hexId("a", 16), "Ours", "", { tags: ["x"] })] });
  const done = await importStage(stack).run(archived, { source: elsewhere });
  const outcome = outcomeOf(done, "Ours");
  expect(outcome).toMatchObject({ action: "blocked", code: "ambiguous-dashboard" });
  for (const id of [hexId("b", 8), hexId("b", 9)]) expect(outcome?.message).toContain(id);
  expect(outcome?.message).not.toContain("Theirs");
});

describe("a dashboard of the same id on another stack", () => {
  const empty = (more: JsonObject): JsonObject => dashboard(hexId("a", 16), "Ours", "", { tiles: [], ...more });
  const run = async (there: JsonObject) => {
    const archived = records({ dashboards: [empty({ tags: ["x"] })] });
    const stack = onto({ dashboards: [there] });
    return outcomeOf(await importStage(stack).run(archived, { onConflict: "update", source: elsewhere }), "Ours");
  };

  it("is itself under another name where all the rest is equal", async () => {
    expect(await run(empty({ tags: ["x"], name: "Theirs" }))).toMatchObject({
      action: "update",
      status: "done",
      targetName: "Theirs",
    });
  });

  it("is another one where nothing but the id is equal, which a person decides", async () => {
    expect(await run(empty({ tags: ["y"], name: "Theirs" }))).toMatchObject({ code: "ambiguous-dashboard" });
  });

  it("is itself with half of its tiles, and with less it is not", async () => {
    const tile = (name: string, number: number) =>
      tileWith(hexId("d", number), name, { displayType: "markdown", markdown: name }, { y: number });
    const body = (name: string, tiles: readonly JsonObject[]) => dashboard(hexId("a", 16), name, "", { tiles });
    const archived = records({ dashboards: [body("Ours", [tile("A", 1), tile("B", 2)])] });
    const half = async (tiles: readonly JsonObject[]) => {
      const stack = onto({ dashboards: [body("Theirs", tiles)] });
      const options = { onConflict: "skip", source: elsewhere } as const;
      return outcomeOf(await importStage(stack).run(archived, options), "Ours");
    };
    expect(await half([tile("A", 1)])).toMatchObject({ action: "skip", targetId: hexId("a", 16) });
    expect(await half([tile("C", 7)])).toMatchObject({ code: "ambiguous-dashboard" });
    expect(await half([])).toMatchObject({ code: "ambiguous-dashboard" });
  });
});

it("pairs what links to a dashboard that a later look pairs with another one", async () => {
  const linking = (id: string, name: string, to: string): JsonObject => {
    const config = { displayType: "table", onClick: { type: "dashboard", target: { mode: "id", id: to } } };
    const tiles = [tileWith(`${id.slice(0, 20)}e001`, "Link", config)];
    return dashboard(id, name, "", { tiles });
  };
  const [leaf, middle, top] = [hexId("a", 16), hexId("a", 17), hexId("a", 18)];
  const archived = records({
    dashboards: [dashboard(leaf, "Leaf", ""), linking(middle, "Middle", leaf), linking(top, "Top", middle)],
  });
  // The target's dashboard of the same id and name leads elsewhere; the equal one has another id.
  const [theirLeaf, theirMiddle] = [hexId("b", 16), hexId("b", 17)];
  const stack = onto({
    dashboards: [
      dashboard(theirLeaf, "Leaf", ""),
      dashboard(hexId("b", 15), "Else", ""),
      linking(middle, "Middle", hexId("b", 15)),
      linking(theirMiddle, "Middle", theirLeaf),
      linking(hexId("b", 18), "Top", middle),
      linking(hexId("b", 19), "Top", theirMiddle),
    ],
  });
  const { plan } = await importStage(stack).run(archived, { source: elsewhere });
  expect(plan.items.map(({ name, action, targetId }) => [name, action, targetId])).toEqual([
    ["Leaf", "unchanged", theirLeaf],
    ["Middle", "unchanged", theirMiddle],
    ["Top", "unchanged", hexId("b", 19)],
  ]);
  expect(writesOn(stack)).toEqual([]);
});
