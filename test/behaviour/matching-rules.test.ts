import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import { importStage, outcomeOf, planInto, sentTo } from "../support/import-stage.ts";
import { memoryStack } from "../support/memory-stack.ts";
import { alert, dashboard, hexId, records, webhook } from "../support/stack-records.ts";
import { logs } from "../support/usual-stacks.ts";

const sources = [logs];

/** A dashboard with one tile for each dashboard that a click on it leads to. */
function linking(letter: "a" | "b", number: number, name: string, to: readonly number[]): JsonObject {
  const tiles = to.map((each) => ({
    id: hexId("d", number * 16 + each),
    name: `To ${each}`,
    config: { displayType: "table", onClick: { type: "dashboard", target: { mode: "id", id: hexId(letter, each) } } },
  }));
  return dashboard(hexId(letter, number), name, hexId("a", 1), { tiles });
}

describe("dashboards of one name", () => {
  it("are told apart by the dashboards that they lead to", async () => {
    const boards = (letter: "a" | "b") => [
      linking(letter, 16, "Same", [18]),
      linking(letter, 17, "Same", [19]),
      linking(letter, 18, "X", []),
      linking(letter, 19, "Y", []),
    ];
    const target = memoryStack({ dashboards: boards("b").toReversed(), sources, alerts: [], webhooks: [] });
    const { items } = await planInto(target, records({ dashboards: boards("a"), sources }));
    expect(items.slice(0, 4).map(({ action, targetId }) => [action, targetId])).toEqual(
      [16, 17, 18, 19].map((number) => ["unchanged", hexId("b", number)]),
    );
  });

  it("are paired by content before they are paired by id: a copy is nearer than a record that was changed", async () => {
    const body = dashboard(hexId("a", 16), "Board", hexId("a", 1));
    const there = [
      { ...body, tags: ["changed"] },
      { ...body, id: hexId("b", 16) },
    ];
    const target = memoryStack({ dashboards: there, sources, alerts: [], webhooks: [] });
    const [item] = (await planInto(target, records({ dashboards: [body], sources }))).items;
    expect(item).toMatchObject({ action: "unchanged", targetId: hexId("b", 16) });
  });
});

describe("a record of the archive's own stack", () => {
  it("is itself, also where an equal copy of it is listed first", async () => {
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

describe("a webhook that the target does not list", () => {
  const board = dashboard(hexId("a", 16), "Board", hexId("a", 1));
  const alerts = (...hooks: readonly string[]) =>
    hooks.map((hook, number) => alert(hexId("a", 20 + number), `Alert ${number}`, board, hook));
  const plan = (first: string, second: string) => {
    const target = memoryStack({ dashboards: [board], sources, alerts: alerts(first, second) }, "managed");
    const archived = alerts(hexId("a", 2), hexId("a", 2), hexId("a", 2));
    const webhooks = [webhook(hexId("a", 2), "pager")];
    return planInto(target, records({ dashboards: [board], sources, alerts: archived, webhooks }));
  };

  it("is the one that the paired alerts use, where they agree", async () => {
    const { items, matches } = await plan(hexId("b", 2), hexId("b", 2));
    expect(matches).toContainEqual(expect.objectContaining({ to: hexId("b", 2), rule: "in-use" }));
    expect(items.find(({ name }) => name === "Alert 2")).toMatchObject({ action: "create" });
  });

  it("stays with the user where they do not", async () => {
    const { items, matches } = await plan(hexId("b", 2), hexId("b", 3));
    expect(matches.filter(({ rule }) => rule === "in-use")).toEqual([]);
    expect(items.find(({ name }) => name === "Alert 2")).toMatchObject({ action: "blocked", code: "missing-webhook" });
  });
});

it("a first write keeps the links that do not have to wait", async () => {
  const target = memoryStack({ dashboards: [], sources, alerts: [], webhooks: [] });
  const boards = [linking("a", 16, "One", [17, 18]), linking("a", 17, "Two", [16, 18]), linking("a", 18, "Three", [])];
  const run = await importStage(target).run(records({ dashboards: boards, sources }));
  expect(run.outcomes.every(({ status }) => status === "done")).toBe(true);
  const three = outcomeOf(run, "Three")?.targetId;
  const linked = sentTo(target, "create dashboards").filter(({ name }) => name !== "Three");
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

  it("are blocked, and told why", async () => {
    const { items } = await planInto(target(), archive);
    const alerts = items.filter(({ kind }) => kind === "alerts");
    expect(alerts.map(({ action, message }) => [action, message])).toEqual(
      [1, 2].map(() => [
        "blocked",
        `several alerts of the archive could be the alert "Busy" of the target (${theirs.id}); name the right one in a map file, and the others are created`,
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
