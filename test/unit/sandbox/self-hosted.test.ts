import { expect, test } from "vitest";
import { startSandbox } from "../../../src/sandbox/start-sandbox.ts";
import { call, json, list, markdownTile, rows, send } from "./call.ts";

const fresh = () => startSandbox({ variant: "self-hosted", seed: "bare" });

test.each(["bearer", "Basic", "BEARER"])("self-hosted: the authorization scheme %s is refused", async (scheme) => {
  await using sandbox = await fresh();
  const authorization = `${scheme} ${sandbox.apiKey}`;
  expect((await send(`${sandbox.url}/api/v2/dashboards`, "GET", { authorization })).status).toBe(401);
});

test("self-hosted: a body over 32 MB is refused with 413, and a document over 16 MB with 500", async () => {
  await using sandbox = await fresh();
  const padded = { name: "x", tiles: [], bogus: "x".repeat(32 * 1024 * 1024) };
  const tooLarge = await call(sandbox, "POST", "dashboards", padded);
  expect([tooLarge.status, json(tooLarge)]).toEqual([413, { message: "Something went wrong :(" }]);
  const tiles = Array.from({ length: 400 }, () => markdownTile("x".repeat(50_000)));
  const heavy = tiles.map((tile) => ({ ...tile, name: "t" }));
  expect((await call(sandbox, "POST", "dashboards", { name: "x", tiles: heavy })).status).toBe(500);
  expect(list(await call(sandbox, "GET", "dashboards"))).toEqual([]);
});

test("self-hosted: chart series have the requested buckets, are repeatable and have at most 1000 rows", async () => {
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
