import { describe, expect, it } from "vitest";
import type { Plan } from "../../../../src/core/plan/plan.ts";
import { estimateRequests } from "../../../../src/library/steps/validate-plan.ts";
import { estimateMs, estimateText, rateText } from "../../../../src/cli/output/phase-status.ts";

const limit = { requests: 100, perMs: 60_000 };

const begun = { total: 1000, done: 0, requests: 1000, sent: 0, elapsedMs: 0 };

describe("estimateMs", () => {
  it.each([
    ["the time of all windows but the last, at the start", begun, 540_000],
    ["0 if all requests fit into one window", { ...begun, total: 100, requests: 100 }, 0],
    ["less after some time has passed", { ...begun, done: 100, sent: 100, elapsedMs: 30_000 }, 510_000],
    [
      "the time at the measured rate if it is slower than the limit",
      { ...begun, total: 100, requests: 100, done: 10, sent: 10, elapsedMs: 10_000 },
      90_000,
    ],
    [
      "longer if a record takes more requests than expected",
      { ...begun, total: 200, requests: 200, done: 50, sent: 100, elapsedMs: 30_000 },
      150_000,
    ],
  ])("is %s", (_name, progress, ms) => expect(estimateMs({ limit, ...progress })).toBe(ms));

  it("is that of the measured rate if no limit is known, or if the stack took more requests than the limit", () => {
    expect(estimateMs(begun)).toBeUndefined();
    expect(estimateMs({ ...begun, done: 100, sent: 100, elapsedMs: 10_000 })).toBe(90_000);
    expect(estimateMs({ ...begun, limit, done: 500, sent: 500, elapsedMs: 5000 })).toBe(5000);
    expect(estimateText({ ...begun, total: 100 })).toBe("");
  });

  it("takes the rate at the end of the last pause, and not that of a burst", () => {
    const steady = { done: 60, elapsedMs: 10_000, pauses: 1 };
    const burst = { total: 700, done: 119, sent: 119, elapsedMs: 11_000 };
    expect(estimateMs({ ...burst, steady })).toBe(99_000);
  });

  it.each([
    [1000, "about 9 min left"],
    [201, "about 2 min left"],
    [101, "about 60 s left"],
    [100, ""],
  ])("estimateText for %i requests is %j", (requests, text) => {
    expect(estimateText({ ...begun, limit, total: requests, requests })).toBe(text);
  });
});

describe("rateText", () => {
  it.each([
    [4, 10_000, ""],
    [50, 1000, ""],
    [50, 5000, "10.0 requests/s"],
    [10, 60_000, "10 requests/min"],
  ])("for %i requests in %i ms is %j", (sent, elapsedMs, text) => expect(rateText(sent, elapsedMs)).toBe(text));
});

describe("estimateRequests", () => {
  const item = (action: "create" | "skip", links: number): Plan["items"][number] => ({
    kind: "dashboards",
    sourceId: "1",
    name: "a",
    action,
    dependsOn: [],
    linksTo: Array.from({ length: links }, () => "dashboards/2" as const),
  });
  const items = [item("create", 1), item("create", 0), item("skip", 2)];
  const plan = {
    items,
    matches: [],
    unresolved: [],
    ids: [],
    bodies: new Map(),
    idsToCome: new Map(),
    warnings: [],
    present: new Map(),
    missingSecrets: [],
  };
  const managed = { identity: { variant: "managed", baseUrl: "x" } } as const;
  const selfHosted = { identity: { variant: "self-hosted", baseUrl: "x" } } as const;
  const published = { requests: 10, perMs: 10_000 };

  it("counts one request for each write and two for each link", () => {
    expect(estimateRequests(plan, managed, undefined).requests).toBe(4);
  });

  it.each([
    ["the published limit of managed stacks, which announce none", managed, undefined, published],
    ["no limit of a self-hosted stack that announces none", selfHosted, undefined, undefined],
    ["an announced limit", selfHosted, { requests: 500, windowMs: 20_000 }, { requests: 500, perMs: 20_000 }],
    ["an announced number in the published window", selfHosted, { requests: 500 }, { requests: 500, perMs: 60_000 }],
    ["the stack's limit, which is slower", { ...managed, rate: { requests: 9, perMs: 1000 } }, undefined, published],
    [
      "the own limit, which is slower",
      { ...managed, rate: { requests: 1, perMs: 2000 } },
      { requests: 50 },
      { requests: 1, perMs: 2000 },
    ],
    ["the own limit, if it is the only one", { ...selfHosted, rate: published }, undefined, published],
  ])("has %s", (_name, settings, announced, limit) =>
    expect(estimateRequests(plan, settings, announced).limit).toEqual(limit),
  );
});
