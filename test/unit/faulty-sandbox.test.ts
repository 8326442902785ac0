import { expect, test } from "vitest";
import type { FaultPlan, FaultRule } from "../support/faults/fault-plan.ts";
import { startFaultySandbox, type FaultySandbox } from "../support/faults/start-faulty-sandbox.ts";
import { call, children, list, markdownTile, record } from "./sandbox/call.ts";

// A fault that never occurs would make the tests of a failing stack prove nothing.

const start = (...rules: FaultRule[]) =>
  startFaultySandbox({ variant: "self-hosted", seed: "bare", faults: { rules } });
const create = (sandbox: FaultySandbox, body: object = {}) =>
  call(sandbox, "POST", "dashboards", { name: "d", tiles: [markdownTile("t")], ...body });
const listed = async (sandbox: FaultySandbox) => list(await call(sandbox, "GET", "dashboards"));

test.each([
  ["429", 429, 0],
  ["500", 500, 0],
  ["500-after", 500, 1],
  ["html-502", 502, 0],
  ["html-502-after", 502, 1],
] as const)("the fault %s answers a create with %i once, with %i records stored", async (fault, status, count) => {
  await using sandbox = await start({ fault, route: "POST dashboards", nth: 1 });
  expect((await create(sandbox)).status).toBe(status);
  expect(await listed(sandbox)).toHaveLength(count);
  expect((await create(sandbox)).status).toBe(200);
  expect(sandbox.faultCounts()).toEqual({ [fault]: 1 });
});

test.each([
  ["reset", 0],
  ["reset-after", 1],
  ["truncated", 1],
] as const)("the fault %s breaks the connection of a create, with %i records stored", async (fault, count) => {
  await using sandbox = await start({ fault, route: "POST dashboards" });
  await expect(create(sandbox)).rejects.toThrow(/fetch failed|terminated/);
  expect(await listed(sandbox)).toHaveLength(count);
});

test.each([
  ["never", 0],
  ["never-after", 1],
] as const)("the fault %s holds a create until the sandbox closes, with %i records stored", async (fault, count) => {
  const sandbox = await start({ fault, route: "POST dashboards" });
  const held = expect(create(sandbox)).rejects.toThrow("fetch failed");
  await expect.poll(() => sandbox.faultCounts()).toEqual({ [fault]: 1 });
  await expect.poll(() => sandbox.stored().dashboards.length).toBe(count);
  await Promise.all([sandbox.close(), held]);
});

test("the fault slow delays the usual answer", async () => {
  await using sandbox = await start({ fault: "slow", ms: 50 });
  const before = performance.now();
  expect((await create(sandbox)).status).toBe(200);
  expect(performance.now() - before).toBeGreaterThanOrEqual(49);
});

test("the fault stale-list hides a new record from lists for a while, and a request by id returns it", async () => {
  let now = 1_000_000;
  const faults: FaultPlan = { rules: [{ fault: "stale-list", ms: 500 }] };
  await using sandbox = await startFaultySandbox({ variant: "self-hosted", faults, now: () => now });
  const { id } = record(await create(sandbox));
  now += 499;
  expect(await listed(sandbox)).toEqual([]);
  expect((await call(sandbox, "GET", `dashboards/${id}`)).status).toBe(200);
  now += 1;
  expect(await listed(sandbox)).toHaveLength(1);
});

test("the fault drop-field leaves a member of the body, also of each tile, as if the request lacked it", async () => {
  const nested = { fault: "drop-field", field: "tiles.config.markdown" } as const;
  await using sandbox = await start({ fault: "drop-field", field: "tags", route: "PUT *" }, nested);
  const { id, tags } = record(await create(sandbox, { tags: ["old"] }));
  expect(tags).toEqual(["old"]);
  const body = { name: "new", tiles: [markdownTile("a"), markdownTile("b")], tags: ["new"] };
  const kept = record(await call(sandbox, "PUT", `dashboards/${id}`, body));
  expect([kept["name"], kept["tags"]]).toEqual(["new", ["old"]]);
  const config = { displayType: "markdown", markdown: "" };
  expect(children(kept, "tiles")).toMatchObject([{ config }, { config }]);
});

test("the fault case-ids answers with ids in upper case, and ids of either case are accepted", async () => {
  await using sandbox = await start({ fault: "case-ids", route: "GET dashboards" });
  const { id } = record(await create(sandbox));
  const [found] = await listed(sandbox);
  expect([id, found?.id]).toEqual([id.toLowerCase(), id.toUpperCase()]);
  const kept = record(await call(sandbox, "PUT", `dashboards/${id.toUpperCase()}`, { name: "e", tiles: [] }));
  expect([kept.id, kept["name"]]).toEqual([id, "e"]);
});

/** Sends requests for dashboards and alerts in turn, and returns their statuses. */
async function statuses(plan: FaultPlan, count: number): Promise<number[]> {
  await using sandbox = await startFaultySandbox({ variant: "self-hosted", faults: plan });
  const seen: number[] = [];
  for (let sent = 0; sent < count; sent += 1)
    seen.push((await call(sandbox, "GET", sent % 2 === 0 ? "dashboards" : "alerts")).status);
  return seen;
}

test("a fault plan gives the same answers for the same seed, and others for another seed", async () => {
  const rules: FaultPlan["rules"] = [
    { fault: "500", rate: 0.3 },
    { fault: "html-502", route: "GET alerts", rate: 0.3 },
  ];
  const first = await statuses({ seed: 42, rules }, 40);
  expect(await statuses({ seed: 42, rules }, 40)).toEqual(first);
  expect(await statuses({ seed: 43, rules }, 40)).not.toEqual(first);
  expect(new Set(first)).toEqual(new Set([200, 500, 502]));
});

test.each<[string, FaultPlan, number[]]>([
  [
    "occurs at the nth request of its route",
    { rules: [{ fault: "500", nth: [1, 3], route: "GET a*" }] },
    [200, 500, 200, 200, 200, 500],
  ],
  [
    "ends after its times, and the next rule takes over",
    { rules: [{ fault: "500", times: 2 }, { fault: "html-502" }] },
    [500, 500, 502],
  ],
  [
    "ends with all others after quietAfter",
    { rules: [{ fault: "500", route: "GET alerts" }, { fault: "html-502" }], quietAfter: 3 },
    [502, 500, 502, 200],
  ],
])("a fault %s", async (_, plan, expected) => {
  expect(await statuses(plan, expected.length)).toEqual(expected);
});
