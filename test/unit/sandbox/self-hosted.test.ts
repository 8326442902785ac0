import { expect, test } from "vitest";
import { startSandbox } from "../../../src/sandbox/start-sandbox.ts";
import { call, json, list, markdownTile, rows, send } from "./call.ts";

const fresh = () => startSandbox({ variant: "self-hosted", seed: "bare" });

test.each(["bearer", "Basic", "BEARER"])("the scheme %s is not Bearer", async (scheme) => {
  await using sandbox = await fresh();
  const refused = await send(`${sandbox.url}/api/v2/dashboards`, "GET", {
    authorization: `${scheme} ${sandbox.apiKey}`,
  });
  expect(refused.status).toBe(401);
  expect(refused.text).toBe("Unauthorized");
});

test("2345 alerts come in pages of at most 1000 that together hold each once", async () => {
  const alerts = Array.from({ length: 2345 }, (_, index) => ({ id: `alert-${index}`, name: `Alert ${index}` }));
  await using sandbox = await startSandbox({ variant: "self-hosted", seed: { alerts } });
  const pages = [];
  for (const offset of [0, 1000, 2000, 3000]) pages.push(await call(sandbox, "GET", `alerts?offset=${offset}`));
  expect(pages.map((page) => list(page).length)).toEqual([1000, 1000, 345, 0]);
  expect(pages.flatMap(list).map(({ id }) => id)).toEqual(alerts.map(({ id }) => id));
  expect(pages.map((page) => page.headers.get("x-total-count"))).toEqual(["2345", "2345", "2345", "2345"]);
  expect(pages.map((page) => json(page)["meta"])[2]).toEqual({ total: 2345, limit: 1000, offset: 2000 });
});

test("pipes are not served", async () => {
  await using sandbox = await startSandbox({ variant: "self-hosted", seed: "sample" });
  const refused = await send(`${sandbox.url}/api/v2/pipes/x`, "GET", { authorization: `Bearer ${sandbox.apiKey}` });
  expect(refused.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(sandbox.pipeIds).toBeUndefined();
});

test.each([
  ["a name over 1024", { name: "x".repeat(1025), tiles: [] }],
  ["501 tiles", { name: "x", tiles: Array.from({ length: 501 }, () => markdownTile("t")) }],
  ["51 tags", { name: "x", tiles: [], tags: Array.from({ length: 51 }, (_, index) => `t${index}`) }],
  ["a markdown over 50,000", { name: "x", tiles: [markdownTile("x".repeat(50_001))] }],
  ["51 containers", { name: "x", tiles: [], containers: Array.from({ length: 51 }, (_, index) => container(index)) }],
])("%s is refused, one less is not", async (_, body) => {
  await using sandbox = await fresh();
  expect((await call(sandbox, "POST", "dashboards", body)).status).toBe(400);
  expect((await call(sandbox, "POST", "dashboards", oneLess(body))).status).toBe(200);
});

test("a body over 32 MB is refused with 413, a document over 16 MB with 500", async () => {
  await using sandbox = await fresh();
  const padded = (bytes: number) => ({ name: "x", tiles: [], bogus: "x".repeat(bytes) });
  const tooLarge = await call(sandbox, "POST", "dashboards", padded(32 * 1024 * 1024));
  expect([tooLarge.status, json(tooLarge)]).toEqual([413, { message: "Something went wrong :(" }]);
  expect((await call(sandbox, "POST", "dashboards", padded(31 * 1024 * 1024))).status).toBe(200);
  const tiles = Array.from({ length: 400 }, () => markdownTile("x".repeat(50_000)));
  const heavy = tiles.map((tile) => ({ ...tile, name: "t" }));
  expect((await call(sandbox, "POST", "dashboards", { name: "x", tiles: heavy })).status).toBe(500);
  expect(list(await call(sandbox, "GET", "dashboards"))).toHaveLength(1);
});

test("chart series: believable, the same each time, bounded", async () => {
  await using sandbox = await fresh();
  const [source] = list(await call(sandbox, "GET", "sources"));
  const series = [{ sourceId: source?.id, aggFn: "count", where: "", groupBy: [] }];
  const query = { startTime: 1_700_000_000_000, endTime: 1_700_003_600_000, granularity: "5m", series };
  const first = await call(sandbox, "POST", "charts/series", query);
  expect(rows(first)).toHaveLength(12);
  expect(rows(first)[1]).toEqual({ ts_bucket: 1_700_000_300_000, "series_0.data": expect.any(Number), group: [] });
  expect((await call(sandbox, "POST", "charts/series", query)).text).toBe(first.text);
  const long = await call(sandbox, "POST", "charts/series", { ...query, endTime: query.startTime + 86_400_000 * 365 });
  expect(rows(long).length).toBeGreaterThan(500);
  expect(rows(long).length).toBeLessThanOrEqual(1000);
  const unknown = [{ ...series[0], sourceId: "000000000000000000000000" }];
  expect((await call(sandbox, "POST", "charts/series", { ...query, series: unknown })).status).toBe(400);
});

function container(index: number) {
  return { id: `c${index}`, title: "C", collapsed: false };
}

/** The same body within the bound: every text and every list that is over it, shorter by one. */
function oneLess(value: unknown): unknown {
  if (typeof value === "string") return [1025, 50_001].includes(value.length) ? value.slice(1) : value;
  if (Array.isArray(value)) return (value.length > 50 ? value.slice(1) : value).map(oneLess);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([member, content]) => [member, oneLess(content)]));
}
