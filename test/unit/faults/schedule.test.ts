import { expect, test } from "vitest";
import type { FaultPlan } from "../../support/faults/fault-plan.ts";
import { startFaultySandbox, type FaultyOptions } from "../../support/faults/start-faulty-sandbox.ts";
import { call } from "../sandbox/call.ts";

const start = (faults: FaultPlan, options: Partial<FaultyOptions> = {}) =>
  startFaultySandbox({ variant: "self-hosted", faults, ...options });

/**
 * Sends `count` requests, for dashboards and alerts in turn. Returns their statuses, and the faults and the seed of the sandbox.
 */
async function statuses(plan: FaultPlan, count: number, options: Partial<FaultyOptions> = {}) {
  await using sandbox = await start(plan, options);
  const seen: number[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    seen.push((await call(sandbox, "GET", sent % 2 === 0 ? "dashboards" : "alerts")).status);
  }
  return { seen, faults: sandbox.faultCounts(), seed: sandbox.faultSeed };
}

const MIXED: FaultPlan["rules"] = [
  { fault: "500", rate: 0.2 },
  { fault: "html-502", route: "GET alerts", rate: 0.3 },
  { fault: "429", rate: 0.1 },
];

test("the same fault seed and requests give the same 60 responses, and another seed gives others", async () => {
  const [first, second, other] = await Promise.all(
    [42, 42, 43].map(async (seed) => (await statuses({ seed, rules: MIXED }, 60)).seen),
  );
  expect(second).toEqual(first);
  expect(other).not.toEqual(first);
  expect(new Set(first)).toEqual(new Set([200, 429, 500, 502]));
});

test("a fault rule fires at its rate, at rate 0 never and at rate 1 always", async () => {
  const { faults } = await statuses({ seed: 7, rules: [{ fault: "500", rate: 0.3 }] }, 100);
  expect(faults?.["500"]).toBeGreaterThan(15);
  expect(faults?.["500"]).toBeLessThan(45);
  expect((await statuses({ rules: [{ fault: "500", rate: 0 }] }, 20)).faults).toEqual({});
  expect((await statuses({ rules: [{ fault: "500", rate: 1 }] }, 20)).faults).toEqual({ "500": 20 });
});

test("the random draws of a fault rule do not depend on the other rules", async () => {
  const alone = await statuses({ seed: 5, rules: [{ fault: "500", rate: 0.4 }] }, 40);
  const rules: FaultPlan["rules"] = [
    { fault: "500", rate: 0.4 },
    { fault: "slow", ms: 0, rate: 0.5 },
  ];
  expect((await statuses({ seed: 5, rules }, 40)).seen).toEqual(alone.seen);
});

test("a fault plan without a seed gets a random one, which the sandbox reports", async () => {
  const drawn = await statuses({ rules: MIXED }, 60, { random: () => 0.25 });
  expect(drawn.seed).toBe(2 ** 30);
  expect((await statuses({ seed: 2 ** 30, rules: MIXED }, 60)).seen).toEqual(drawn.seen);
  await using one = await start({ rules: [] });
  await using other = await start({ rules: [] });
  expect(one.faultSeed).not.toBe(other.faultSeed);
});

test("nth counts the requests that match its rule, from 1", async () => {
  const once = await statuses({ rules: [{ fault: "500", nth: 3 }] }, 6);
  expect(once.seen).toEqual([200, 200, 500, 200, 200, 200]);
  const listed = await statuses({ rules: [{ fault: "500", route: "GET alerts", nth: [1, 3] }] }, 6);
  expect(listed.seen).toEqual([200, 500, 200, 200, 200, 500]);
  expect(listed.faults).toEqual({ "500": 2 });
});

test("the first fault rule that fires handles the request, and the other rules count it too", async () => {
  const rules: FaultPlan["rules"] = [
    { fault: "500", nth: [1, 2] },
    { fault: "html-502", nth: [2, 3] },
  ];
  const { seen, faults } = await statuses({ rules }, 4);
  expect(seen).toEqual([500, 500, 502, 200]);
  expect(faults).toEqual({ "500": 2, "html-502": 1 });
});

test("times ends a fault rule, and the next rule takes over", async () => {
  const rules: FaultPlan["rules"] = [{ fault: "500", times: 2 }, { fault: "html-502" }];
  expect((await statuses({ rules }, 4)).seen).toEqual([500, 500, 502, 502]);
});

test("quietAfter ends all fault rules together", async () => {
  const rules: FaultPlan["rules"] = [{ fault: "500", route: "GET alerts" }, { fault: "html-502" }];
  const { seen, faults } = await statuses({ rules, quietAfter: 3 }, 6);
  expect(seen).toEqual([502, 500, 502, 200, 200, 200]);
  expect(faults).toEqual({ "500": 1, "html-502": 2 });
});
