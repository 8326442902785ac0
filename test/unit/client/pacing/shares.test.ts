import { describe, expect, test } from "vitest";
import type { LimitedServerOptions } from "../support/limited-server.ts";
import { pacedRun, type Neighbour } from "../support/paced-run.ts";

const LIMITS = [
  [5, 1000],
  [10, 10_000],
  [60, 10_000],
  [30, 30_000],
  [100, 60_000],
] as const;

type Case = readonly [Partial<LimitedServerOptions>, Neighbour];

/** Runs a case for each limit, with windows that begin with a request and by the clock. Returns what breaks the promise. */
async function brokenPromises(headers: Partial<LimitedServerOptions>, [server, neighbour]: Case, mostRefusals: number) {
  const broken: object[] = [];
  for (const [requests, windowMs] of LIMITS)
    for (const aligned of [false, true]) {
      const options = { requests, windowMs, aligned, headers: false, ...headers, ...server };
      const run = await pacedRun(options, neighbour);
      const isKept = run.share >= 0.9 && run.share < 1.05 && run.refusals <= mostRefusals;
      if (!isKept) broken.push({ requests, windowMs, aligned, ...run });
    }
  return broken;
}

const stray: Case = [{ strayAt: 6 }, "none"];
const steady: Case = [{}, "steady"];
const twin: Case = [{}, "twin"];

describe("in the five windows after the first refusal, 90 to 100 % of the allowed requests are sent", () => {
  test.each<[string, Case, number]>([
    ["alone", [{}, "none"], 0],
    ["after a stray refusal", stray, 0],
    ["beside a steady client", steady, 3],
    ["beside the same program", twin, 3],
  ])("if the stack announces its limit: %s", async (_, tried, mostRefusals) => {
    expect(await brokenPromises({ headers: true }, tried, mostRefusals)).toEqual([]);
  });

  // Each later refusal belongs to another window, because the end of the first window is known.
  test.each<[string, Case, number]>([
    ["alone", [{}, "none"], 3],
    ["after a stray refusal", stray, 6],
    ["beside a steady client", steady, 5],
    ["beside the same program", twin, 3],
  ])("if a refusal says when the window ends: %s", async (_, tried, mostRefusals) => {
    expect(await brokenPromises({ retryAfter: "rest" }, tried, mostRefusals)).toEqual([]);
  });

  // The longer the first window is, the more often its end is looked for.
  test.each<[string, Case, number]>([
    ["alone", [{}, "none"], 8],
    ["after a stray refusal", stray, 9],
    ["beside a steady client", steady, 12],
    ["beside the same program", twin, 8],
  ])("if a refusal says nothing, or always a second: %s", async (_, tried, mostRefusals) => {
    expect(await brokenPromises({}, tried, mostRefusals)).toEqual([]);
    expect(await brokenPromises({ retryAfter: "one second" }, tried, mostRefusals)).toEqual([]);
  });
});

test("a window that ends a little later than measured is found soon after its end", async () => {
  const latency = (count: number): number => 5 + ((count * 7919) % 96);
  const { share } = await pacedRun({ requests: 5, windowMs: 1000, headers: false, aligned: true, latency }, "none");
  expect(share).toBeGreaterThan(0.9);
});

test.each<[number, number]>([
  [5, 1000],
  [10, 10_000],
  [60, 10_000],
  [30, 30_000],
])("a bucket of %i tokens that fills in %i ms is tried for more at most every 40 s", async (requests, windowMs) => {
  const server = { requests, windowMs, bucket: true, headers: false };
  for (const strayAt of [undefined, 6]) {
    const { share, refusals } = await pacedRun({ ...server, strayAt }, "none");
    expect(share).toBeGreaterThan(0.9);
    // Most of them belong to the first 15 s, in which the rate is learned.
    expect(refusals).toBeLessThanOrEqual(9);
  }
});

test.each<[string, Partial<LimitedServerOptions>]>([
  ["without Retry-After", {}],
  ["with Retry-After: 1", { retryAfter: "one second" }],
])("a stray refusal costs a second, and sets no limit (%s)", async (_, options) => {
  const unlimited = { requests: 10_000, windowMs: 10_000, headers: false, latency: () => 100, ...options };
  const undisturbed = await pacedRun(unlimited, "none", 1);
  const disturbed = await pacedRun({ ...unlimited, strayAt: 6 }, "none", 1);
  expect(disturbed.refusals).toBe(0);
  expect(disturbed.share).toBeCloseTo(undisturbed.share, 3);
});

test("a single refused probe does not make each later window longer", async () => {
  const latency = (count: number): number => 5 + ((count * 7919) % 96);
  const server = { requests: 5, windowMs: 1000, headers: true, aligned: true, latency };
  const { share, refusals } = await pacedRun(server, "none", 60);
  expect(refusals).toBe(0);
  expect(share).toBeGreaterThan(0.9);
});
