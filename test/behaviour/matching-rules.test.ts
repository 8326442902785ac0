import { describe, expect, it } from "vitest";
import type { JsonObject, RunOptions } from "../support/import-stage.ts";
import { importStage, outcomeOf, planInto, bodiesSentTo, outcomeLines, writesOn } from "../support/import-stage.ts";
import { memoryStack } from "../support/memory-stack.ts";
import { alert, dashboard, hexId, records, webhook, tileWith } from "../support/stack-records.ts";
import { logs } from "../support/import-samples.ts";

const sources = [logs];
const elsewhere = { variant: "self-hosted", baseUrl: "http://elsewhere.test" } as const;
const onto = (seed: Readonly<Record<string, readonly JsonObject[]>>) =>
  memoryStack({ dashboards: [], sources, alerts: [], webhooks: [], ...seed });

/** Returns a dashboard with one tile for each dashboard in `to`; a click on the tile leads there. */
function linking(letter: "a" | "b", number: number, name: string, to: readonly number[]): JsonObject {
  const tiles = to.map((each) => ({
    id: hexId("d", number * 16 + each),
    name: `To ${each}`,
    config: { displayType: "table", onClick: { type: "dashboard", target: { mode: "id", id: hexId(letter, each) } } },
  }));
  return dashboard(hexId(letter, number), name, hexId("a", 1), { tiles });
}

describe("dashboards of one name", () => {
  it("are told apart by the dashboards that they link to", async () => {
    const boards = (letter: "a" | "b") => [
      linking(letter, 16, "Same", [18]),
      linking(letter, 17, "Same", [19]),
      linking(letter, 18, "X", []),
      linking(letter, 19, "Y", []),
    ];
    const target = onto({ dashboards: boards("b").toReversed() });
    const { items } = await planInto(target, records({ dashboards: boards("a"), sources }));
    expect(items.slice(0, 4).map(({ action, targetId }) => [action, targetId])).toEqual(
      [16, 17, 18, 19].map((number) => ["unchanged", hexId("b", number)]),
    );
  });

  it("are matched by content before id: an equal copy precedes a changed record of the same id", async () => {
    const body = dashboard(hexId("a", 16), "Board", hexId("a", 1));
    const there = [
      { ...body, tags: ["changed"] },
      { ...body, id: hexId("b", 16) },
    ];
    const target = onto({ dashboards: there });
    const [item] = (await planInto(target, records({ dashboards: [body], sources }))).items;
    expect(item).toMatchObject({ action: "unchanged", targetId: hexId("b", 16) });
  });
});

describe("a record of the archive's own stack", () => {
  it("is matched with itself, although an equal copy is listed first", async () => {
    const body = dashboard(hexId("a", 16), "Board", hexId("a", 1));
    const copies = [{ ...body, id: hexId("b", 16) }, body];
    const twins = [{ ...sources[0], id: hexId("b", 1) }, ...sources];
    const target = memoryStack({ dashboards: copies, sources: twins, alerts: [], webhooks: [] });
    const { items, matches } = await planInto(target, records({ dashboards: [body], sources }));
    expect(items[0]).toMatchObject({ action: "unchanged", targetId: hexId("a", 16) });
    expect(matches.filter(({ space }) => space === "sources")).toMatchObject([
      { from: hexId("a", 1), to: hexId("a", 1), rule: "same-id" },
    ]);
  });
});

describe("matching › a webhook that the target does not list", () => {
  const board = dashboard(hexId("a", 16), "Board", hexId("a", 1));
  const alerts = (...hooks: readonly string[]) =>
    hooks.map((hook, number) => alert(hexId("a", 20 + number), `Alert ${number}`, board, hook));
  const [A, B, C] = [hexId("a", 2), hexId("b", 2), hexId("b", 3)];
  const mapping = { webhooks: { [A]: hexId("b", 7) } };

  it.each<[string, theirHooks: string[], RunOptions, rules: string[]]>([
    ["the one that the paired alerts use", [B, B], {}, [`${B} in-use`]],
    ["none where they do not agree", [B, C], {}, []],
    ["the default, whatever they use", [B], { defaults: { webhooks: hexId("b", 8) } }, [`${hexId("b", 8)} default`]],
    ["the map file's, whatever they use", [B], { mapping }, [`${hexId("b", 7)} map-file`]],
  ])("%s", async (_, theirHooks, options, rules) => {
    const stack = memoryStack({ dashboards: [board], sources, alerts: alerts(...theirHooks) }, "managed");
    const webhooks = [webhook(A, "pager")];
    const archive = records({ dashboards: [board], sources, alerts: alerts(A, A, A), webhooks });
    const { plan } = await importStage(stack).run(archive, { ...options, source: elsewhere });
    const matches = plan.matches.filter(({ space }) => space === "webhooks");
    expect(outcomeLines(matches, "to", "rule")).toEqual(rules);
    const last = plan.items.find(({ name }) => name === "Alert 2");
    expect(last).toMatchObject(
      rules.length > 0 ? { action: "create" } : { action: "blocked", code: "missing-webhook" },
    );
    const to = rules[0]?.split(" ")[0];
    for (const { channel } of bodiesSentTo(stack, "create alerts"))
      expect(channel).toEqual({ type: "webhook", webhookId: to });
  });

  it("is told apart from another one that other alerts use", async () => {
    const hooks = (letter: "a" | "b", count: number) =>
      alerts(...Array.from({ length: count }, (_, at) => hexId(letter, 2 + (at % 2))));
    const stack = memoryStack({ dashboards: [board], sources, alerts: hooks("b", 2) }, "managed");
    const webhooks = [webhook(A, "pager"), webhook(hexId("a", 3), "chat")];
    const all = records({ dashboards: [board], sources, alerts: hooks("a", 4), webhooks });
    const { plan } = await importStage(stack).run(all, { source: elsewhere });
    const used = plan.matches.filter(({ rule }) => rule === "in-use");
    expect(outcomeLines(used, "from", "to")).toEqual([`${A} ${B}`, `${hexId("a", 3)} ${C}`]);
  });
});

it("the first write keeps the links that are not deferred", async () => {
  const target = onto({ dashboards: [] });
  const boards = [linking("a", 16, "One", [17, 18]), linking("a", 17, "Two", [16, 18]), linking("a", 18, "Three", [])];
  const run = await importStage(target).run(records({ dashboards: boards, sources }));
  expect(run.outcomes.every(({ status }) => status === "done")).toBe(true);
  const three = outcomeOf(run, "Three")?.targetId;
  const linked = bodiesSentTo(target, "create dashboards").filter(({ name }) => name !== "Three");
  expect(linked).toHaveLength(2);
  for (const body of linked) expect(JSON.stringify(body)).toContain(`"id":"${three}"`);
});

describe("two alerts of the archive that are alike, and one of the target that was changed", () => {
  const board = dashboard(hexId("a", 16), "Board", hexId("a", 1));
  const hook = webhook(hexId("a", 2), "oncall");
  const one = alert(hexId("a", 32), "Busy", board, hexId("a", 2));
  const twin = { ...one, id: hexId("a", 33) };
  const theirs = { ...one, id: hexId("b", 32), threshold: 1000 };
  const archive = records({ dashboards: [board], alerts: [one, twin], sources, webhooks: [hook] });
  const target = () => memoryStack({ dashboards: [board], alerts: [theirs], sources, webhooks: [hook] });

  it("are blocked with the reason", async () => {
    const { items } = await planInto(target(), archive);
    const alerts = items.filter(({ kind }) => kind === "alerts");
    expect(alerts.map(({ action, message }) => [action, message])).toEqual(
      [1, 2].map(() => [
        "blocked",
        `several alerts of the archive could be the alert "Busy" of the target (${theirs.id}); name the right one in a map file, and leave the others out (--exclude ID) or they are created`,
      ]),
    );
  });

  it("are told apart by a map file that names one of them", async () => {
    const mapping = { alerts: { [String(one["id"])]: theirs.id } };
    const { items } = await planInto(target(), archive, { mapping, onConflict: "update" });
    const alerts = items.filter(({ kind }) => kind === "alerts");
    expect(alerts.map(({ sourceId, action, targetId }) => [sourceId, action, targetId])).toEqual([
      [one["id"], "update", theirs.id],
      [twin.id, "create", undefined],
    ]);
  });
});

it("a dashboard whose name matches two records is not matched by its id instead", async () => {
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

  it("is matched under another name if all the rest is equal", async () => {
    expect(await run(empty({ tags: ["x"], name: "Theirs" }))).toMatchObject({
      action: "update",
      status: "done",
      targetName: "Theirs",
    });
  });

  it("is not matched if only the id is equal: the user decides", async () => {
    expect(await run(empty({ tags: ["y"], name: "Theirs" }))).toMatchObject({ code: "ambiguous-dashboard" });
  });

  it("is matched with half of its tiles, and not with fewer", async () => {
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

it("a linking dashboard is matched when a later pass matches the dashboard it links to with another one", async () => {
  const linking = (id: string, name: string, to: string): JsonObject => {
    const config = { displayType: "table", onClick: { type: "dashboard", target: { mode: "id", id: to } } };
    const tiles = [tileWith(`${id.slice(0, 20)}e001`, "Link", config)];
    return dashboard(id, name, "", { tiles });
  };
  const [leaf, middle, top] = [hexId("a", 16), hexId("a", 17), hexId("a", 18)];
  const archived = records({
    dashboards: [dashboard(leaf, "Leaf", ""), linking(middle, "Middle", leaf), linking(top, "Top", middle)],
  });
  // The target's dashboard with the same id and name leads to other dashboards; the one with equal content has another id.
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
