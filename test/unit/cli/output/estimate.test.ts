import { describe, expect, it } from "vitest";
import { estimateMs, estimateText, rateText } from "../../../../src/cli/output/estimate.ts";
import type { Plan } from "../../../../src/core/plan/plan.ts";
import { estimateRequests } from "../../../../src/library/steps/validate-plan.ts";

const limit = { requests: 100, perMs: 60_000 };

describe("estimateMs", () => {
  it.each([
    ["the time of all windows but the last, at the start", { requests: 1000, sent: 0, elapsedMs: 0 }, 540_000],
    ["0 if all requests fit into one window", { requests: 100, sent: 0, elapsedMs: 0 }, 0],
    ["less after some time has passed", { requests: 1000, sent: 100, elapsedMs: 30_000 }, 510_000],
    [
      "the time at the current pace if it is slower than the limit",
      { requests: 100, sent: 10, elapsedMs: 10_000 },
      90_000,
    ],
  ])("is %s", (_name, pace, ms) => expect(estimateMs({ limit, ...pace })).toBe(ms));

  it("is undefined without a limit, or if the stack took more requests than the limit", () => {
    expect(estimateMs({ limit: undefined, requests: 100, sent: 2, elapsedMs: 10_000 })).toBeUndefined();
    expect(estimateMs({ limit: undefined, requests: 100, sent: 50, elapsedMs: 10_000 })).toBeUndefined();
    expect(estimateMs({ limit, requests: 1000, sent: 500, elapsedMs: 5000 })).toBeUndefined();
    expect(estimateText({ limit: undefined, requests: 100, sent: 0, elapsedMs: 0 })).toBe("");
  });

  it.each([
    [1000, "about 9 min left"],
    [101, "about 1 min left"],
    [100, ""],
  ])("estimateText for %i requests is %j", (requests, text) => {
    expect(estimateText({ limit, requests, sent: 0, elapsedMs: 0 })).toBe(text);
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
    rewrites: [],
  });
  const items = [item("create", 1), item("create", 0), item("skip", 2)];
  const plan = {
    items,
    matches: [],
    unresolved: [],
    ids: [],
    knownIds: new Map(),
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
