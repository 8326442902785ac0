import { describe, expect, it } from "vitest";
import { parseDuration, parsePeriod } from "../../../src/config/time.ts";

describe("parseDuration", () => {
  it.each([
    ["500ms", 500],
    ["30s", 30_000],
    ["5m", 300_000],
    ["1h", 3_600_000],
    ["7d", 604_800_000],
    ["1.5s", 1500],
    [" 2s ", 2000],
  ])("reads %s", (text, ms) => expect(parseDuration(text)).toBe(ms));

  it.each(["", "30", "s", "-1s", "1w", "1 s", "0s", "0.0001ms", "1e3s", "999999999999999d"])(
    "refuses the text %j",
    (text) => expect(parseDuration(text)).toBeUndefined(),
  );
});

describe("the end of parsePeriod", () => {
  const NOON = Date.parse("2026-11-25T12:00:00Z");
  it.each([
    ["20261121T045241Z", "2026-11-21T04:52:41.999Z"],
    ["2026-11-21T04:52:41Z", "2026-11-21T04:52:41.999Z"],
    ["2026-11-21T04:52", "2026-11-21T04:52:59.999Z"],
    ["2026-11-21 04", "2026-11-21T04:59:59.999Z"],
    ["2026-11-21", "2026-11-21T23:59:59.999Z"],
    ["-7d", "2026-11-18T12:00:00.000Z"],
    ["-36h", "2026-11-24T00:00:00.000Z"],
  ])("reads %s", (text, expected) => expect(new Date(parsePeriod(text, NOON)?.end ?? 0).toISOString()).toBe(expected));
  it.each([
    "",
    "tomorrow",
    "7d",
    "-7",
    "yesterday",
    "before:2026-11-21",
    "2026",
    "2026-13-01",
    "2026-02-30",
    "2026-11-21T25:00",
    "2026-11-21T04:15-05",
    "2026-11-21T04-05:00",
    "2026-11-21T04:15+01:00",
  ])("refuses the text %j", (text) => {
    expect(parsePeriod(text, NOON)).toBeUndefined();
  });
});
