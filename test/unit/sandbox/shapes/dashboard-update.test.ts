import { expect, test } from "vitest";
import type { Sandbox } from "../../../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../../../src/sandbox/start-sandbox.ts";
import type { Item } from "../call.ts";
import { alertOn, call, children, list, markdownTile, numberTile, record } from "../call.ts";

const VARIANTS = ["managed", "self-hosted"] as const;

async function withAlerts(sandbox: Sandbox): Promise<Item> {
  const [source] = list(await call(sandbox, "GET", "sources"));
  const tiles = ["a", "b", "c"].map((name) => numberTile(name, source?.id));
  const dashboard = record(await call(sandbox, "POST", "dashboards", { name: "d", tiles }));
  const webhookId = sandbox.webhooks[0]?.id ?? "";
  for (const index of [0, 1, 1, 2]) await call(sandbox, "POST", "alerts", alertOn(dashboard, index, webhookId));
  return dashboard;
}

async function alertTiles(sandbox: Sandbox): Promise<unknown[]> {
  return list(await call(sandbox, "GET", "alerts")).map((alert) => alert["tileId"]);
}

test.each(VARIANTS)("%s: every alert on a tile that vanishes goes, the others stay", async (variant) => {
  await using sandbox = await startSandbox({ variant, seed: "bare" });
  const dashboard = await withAlerts(sandbox);
  const [a, b, c] = children(dashboard, "tiles");
  expect(await alertTiles(sandbox)).toEqual([a?.id, b?.id, b?.id, c?.id]);
  const [source] = list(await call(sandbox, "GET", "sources"));
  const kept = [c, a].map((tile) => ({ ...numberTile(String(tile?.["name"]), source?.id), id: tile?.id }));
  const tiles = [...kept, markdownTile("new"), markdownTile("made up", "no-such-id")];
  const updated = record(await call(sandbox, "PUT", `dashboards/${dashboard.id}`, { name: "d", tiles }));
  const ids = children(updated, "tiles").map(({ id }) => id);
  expect(ids.slice(0, 2)).toEqual([c?.id, a?.id]);
  expect(new Set([...ids, "no-such-id", b?.id]).size).toBe(6);
  expect(await alertTiles(sandbox)).toEqual([a?.id, c?.id]);
});

test.each(VARIANTS)("%s: a delete takes the dashboard's alerts along, and only those", async (variant) => {
  await using sandbox = await startSandbox({ variant, seed: "bare" });
  const dashboard = await withAlerts(sandbox);
  const other = await withAlerts(sandbox);
  await call(sandbox, "DELETE", `dashboards/${dashboard.id}`);
  const left = list(await call(sandbox, "GET", "alerts"));
  expect(left.map((alert) => alert["dashboardId"])).toEqual([other.id, other.id, other.id, other.id]);
  expect((await call(sandbox, "GET", `dashboards/${dashboard.id}`)).status).toBe(404);
});

test.each(VARIANTS)("%s: a refused update changes nothing", async (variant) => {
  await using sandbox = await startSandbox({ variant, seed: "bare" });
  const dashboard = await withAlerts(sandbox);
  const config = { displayType: "search", sourceId: "unknown", select: "" };
  const tiles = [{ ...markdownTile("a"), config }];
  const refused = await call(sandbox, "PUT", `dashboards/${dashboard.id}`, { name: "other", tiles });
  expect(refused.status).toBe(400);
  expect(record(await call(sandbox, "GET", `dashboards/${dashboard.id}`))).toEqual(dashboard);
  expect(await alertTiles(sandbox)).toHaveLength(4);
});

test("members left out keep their content, and a filter's id moves to the front", async () => {
  await using sandbox = await startSandbox({ variant: "self-hosted", seed: "bare" });
  const [source] = list(await call(sandbox, "GET", "sources"));
  const created = record(
    await call(sandbox, "POST", "dashboards", {
      name: "d",
      tiles: [],
      tags: ["t", "t"],
      filters: [{ type: "QUERY_EXPRESSION", name: "F", expression: "x", sourceId: source?.id }],
      savedQuery: "q",
      savedQueryLanguage: "sql",
      savedFilterValues: [{ type: "sql", condition: "x = 1" }],
      containers: [{ id: "c", title: "C", collapsed: false }],
    }),
  );
  expect(created["tags"]).toEqual(["t"]);
  const address = `dashboards/${created.id}`;
  const kept = record(await call(sandbox, "PUT", address, { name: "e", tiles: [] }));
  expect(kept).toEqual({ ...created, name: "e" });
  const filters = children(record(await call(sandbox, "PUT", address, kept)), "filters");
  expect(filters).toEqual(created["filters"]);
  expect(filters.flatMap((filter) => Object.keys(filter))[0]).toBe("id");
  expect(children(created, "filters").flatMap((filter) => Object.keys(filter))[0]).toBe("type");
  const cleared = {
    name: "e",
    tiles: [],
    tags: [],
    filters: [],
    savedQuery: null,
    savedFilterValues: [],
    containers: [],
  };
  expect(record(await call(sandbox, "PUT", address, cleared))).toEqual({
    id: created.id,
    name: "e",
    tiles: [],
    tags: [],
    filters: [],
    savedQuery: null,
    savedQueryLanguage: null,
    savedFilterValues: [],
  });
});

test.each([
  ["by the sources that lie on it where no connection is listed", [], [200, 400, 400]],
  ["as a record where there are any", [{ id: "by-itself" }], [400, 200, 400]],
])("a connection is known %s", async (_, connections, expected) => {
  const sources = [{ id: "s", name: "Logs", kind: "log", connection: "by-source" }];
  await using sandbox = await startSandbox({ variant: "self-hosted", seed: { sources, connections } });
  const statuses = [];
  for (const connectionId of ["by-source", "by-itself", "unknown"]) {
    const config = { configType: "sql", displayType: "table", connectionId, sqlTemplate: "SELECT 1" };
    const answer = await call(sandbox, "POST", "dashboards", { name: "d", tiles: [{ ...markdownTile("t"), config }] });
    statuses.push(answer.status);
  }
  expect(statuses).toEqual(expected);
});
