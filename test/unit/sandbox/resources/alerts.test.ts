import { describe, expect, test } from "vitest";
import type { Sandbox } from "../../../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../../../src/sandbox/start-sandbox.ts";
import { call, json, list, record } from "../call.ts";

const NOW = Date.UTC(2027, 0, 1);
const id = (digit: string) => digit.repeat(24);
const hook = (digit: string) => ({ id: id(digit), name: digit, service: "generic", url: "https://example.com" });
const channel = (digit: string) => ({ type: "webhook", webhookId: id(digit) });
const sql = (tileId: string, displayType: string, sqlTemplate: string) => ({
  id: tileId,
  name: tileId,
  config: { configType: "sql", displayType, sqlTemplate },
});
const INTERVAL = "SELECT toStartOfInterval(t, INTERVAL {intervalSeconds:Int64} second)";
const TILES = [
  { id: "line", name: "line", config: { displayType: "line" } },
  { id: "table", name: "table", config: { displayType: "table" } },
  sql("sql-table", "table", INTERVAL),
  sql("sql-line", "line", "SELECT 1"),
  sql("sql-number", "number", ""),
  sql("sql-parameter", "line", INTERVAL),
  sql("sql-macro", "stacked_bar", "SELECT $__timeInterval(t)"),
];
const condition = { threshold: 10, thresholdType: "above", interval: "15m" };
const body = {
  ...condition,
  source: "tile",
  dashboardId: id("d"),
  tileId: "line",
  channel: channel("a"),
};

function stack(alerts: readonly object[] = []): Promise<Sandbox> {
  const webhooks = "0123456789abc".split("").map(hook);
  const dashboards = [{ id: id("d"), name: "d", tiles: TILES }];
  return startSandbox({ variant: "self-hosted", now: () => NOW, seed: { webhooks, dashboards, alerts } });
}

const many = "0123456789a".split("").map(channel);
const noChannel = { channel: undefined };
const start = (year: number, rest = "-01-01T00:00:00Z") => ({ scheduleStartAt: `${year}${rest}` });
const refused: readonly (readonly [string, object, string])[] = [
  ["an offset with a start", { ...start(2026), scheduleOffsetMinutes: 1 }, "scheduleOffsetMinutes: "],
  ["an offset as long as the interval", { scheduleOffsetMinutes: 15 }, "scheduleOffsetMinutes: "],
  ["a start over a year ahead", start(2028, "-01-02T00:00:00Z"), "scheduleStartAt: "],
  ["a start over ten years back", start(2016, "-12-31T00:00:00Z"), "scheduleStartAt: "],
  ["a start in another zone", start(2026, "-01-01T00:00:00+01:00"), "scheduleStartAt: "],
  ["a range without its end", { thresholdType: "between" }, "thresholdMax: "],
  ["a range that ends before it begins", { thresholdType: "not_between", thresholdMax: 9 }, "thresholdMax: "],
  ["the same channel twice", { channels: [channel("a"), channel("b"), channel("a")] }, "channels: Duplicate"],
  ["eleven channels", { ...noChannel, channels: many }, "channels: An alert supports at most 10"],
  ["an empty list of channels", { ...noChannel, channels: [] }, "channels: At least one"],
  ["a channel that is not the first of all", { channels: [channel("b"), channel("a")] }, "channels: When both"],
  ["a source that is not known", { source: "inline", chartConfig: {} }, "source: Invalid enum value"],
  ["a note of nothing", { note: "" }, "note: "],
];

describe("a create is refused", () => {
  test.each(refused)("%s", async (_, change, message) => {
    await using sandbox = await stack();
    const answer = await call(sandbox, "POST", "alerts", { ...body, ...change });
    expect(answer.status).toBe(400);
    expect(json(answer)["message"]).toContain(`Body validation failed: ${message}`);
    expect(sandbox.stored().alerts).toEqual([]);
  });

  test.each([
    ["sql-table", 400],
    ["sql-line", 400],
    ["sql-number", 200],
    ["sql-parameter", 200],
    ["sql-macro", 200],
    ["table", 200],
  ])("on the tile %s: %i", async (tileId, status) => {
    await using sandbox = await stack();
    expect((await call(sandbox, "POST", "alerts", { ...body, tileId })).status).toBe(status);
  });
});

test.each([null, "2026-01-01T00:00:00Z"])("a start of %s brings an offset of 0", async (scheduleStartAt) => {
  await using sandbox = await stack();
  const alert = record(await call(sandbox, "POST", "alerts", { ...body, scheduleStartAt }));
  expect(alert).toMatchObject({
    scheduleOffsetMinutes: 0,
    scheduleStartAt: scheduleStartAt && "2026-01-01T00:00:00.000Z",
  });
});

const STORED = {
  id: id("e"),
  name: "n",
  message: "m",
  note: "o",
  ...condition,
  thresholdMax: 20,
  scheduleOffsetMinutes: 5,
  numConsecutiveWindows: 2,
  source: "tile",
  state: "ALERT",
  teamId: id("f"),
  channel: channel("b"),
  channels: [channel("b"), channel("c")],
  tileId: "line",
  dashboardId: id("d"),
  silenced: { by: null },
  executionErrors: [],
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
};

test("an update keeps a threshold's end, an offset and what is the server's, and clears the rest", async () => {
  await using sandbox = await stack([STORED]);
  const alert = record(await call(sandbox, "PUT", `alerts/${STORED.id}`, body));
  const cleared = { name: null, message: null, note: null, numConsecutiveWindows: null };
  const channels = { channel: channel("a"), channels: [channel("a")] };
  expect(alert).toEqual({ ...STORED, ...cleared, ...channels, updatedAt: new Date(NOW).toISOString() });
});

test("a start onto an offset clears it; an offset onto a start is kept beside it, and then refused", async () => {
  await using sandbox = await stack([STORED]);
  const put = async (change: object) => call(sandbox, "PUT", `alerts/${STORED.id}`, { ...body, ...change });
  const scheduleStartAt = "2026-01-01T00:00:00.000Z";
  expect(record(await put({ scheduleStartAt }))).toMatchObject({ scheduleStartAt, scheduleOffsetMinutes: 0 });
  const both = record(await put({ scheduleOffsetMinutes: 3 }));
  expect(both).toMatchObject({ scheduleStartAt, scheduleOffsetMinutes: 3 });
  expect((await call(sandbox, "PUT", `alerts/${STORED.id}`, both)).status).toBe(400);
});

test("an old alert with one channel shows a list of it, one without channels has neither member", async () => {
  const { channels: _, ...one } = STORED;
  const { channel: __, ...none } = { ...one, id: id("f") };
  await using sandbox = await stack([one, none]);
  const [first, second] = list(await call(sandbox, "GET", "alerts"));
  expect(first).toEqual({ ...one, channels: [one.channel] });
  expect(second).toEqual(none);
  expect((await call(sandbox, "PUT", `alerts/${none.id}`, none)).status).toBe(400);
});
