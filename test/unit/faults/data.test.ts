import { expect, test } from "vitest";
import type { FaultPlan } from "../../support/faults/fault-plan.ts";
import {
  startFaultySandbox,
  type FaultyOptions,
  type FaultySandbox,
} from "../../support/faults/start-faulty-sandbox.ts";
import { alertOn, call, children, json, list, markdownTile, member, record } from "../sandbox/call.ts";

type Rule = FaultPlan["rules"][number];

const start = (rules: readonly Rule[], options: Partial<FaultyOptions> = {}) =>
  startFaultySandbox({ variant: "self-hosted", seed: "bare", faults: { rules }, ...options });
const named = (name: string) => ({ name, tiles: [markdownTile("t")] });
const names = async (sandbox: FaultySandbox, resource = "dashboards") =>
  list(await call(sandbox, "GET", resource)).map(({ name }) => name);

/** Creates the given number of alerts. The name of each is its number. */
async function makeAlerts(sandbox: FaultySandbox, count: number): Promise<void> {
  const dashboard = record(await call(sandbox, "POST", "dashboards", named("d")));
  const alert = alertOn(dashboard, 0, sandbox.webhooks[0]?.id ?? "");
  for (let made = 0; made < count; made += 1) await call(sandbox, "POST", "alerts", { ...alert, name: `${made}` });
}

/** Reads all alerts in pages of two, as a client does. Returns their names, each of which is one digit. */
async function pagesOf(sandbox: FaultySandbox): Promise<string> {
  const pages: string[] = [];
  for (let offset = 0; offset < 6; offset += 2) {
    const page = await call(sandbox, "GET", `alerts?limit=2&offset=${offset}`);
    expect(json(page)["meta"]).toEqual({ total: 6, limit: 2, offset });
    pages.push(
      list(page)
        .map(({ name }) => name)
        .join(""),
    );
  }
  return pages.join(" ");
}

test.each<[string, Rule, string]>([
  ["page-skip", { fault: "page-skip" }, "01 34 45"],
  ["page-repeat", { fault: "page-repeat" }, "01 12 45"],
  ["page-skip at the second page", { fault: "page-skip", nth: 2 }, "01 23 5"],
  ["page-repeat twice", { fault: "page-repeat", times: 2 }, "01 12 34"],
])("%s shifts the start of the next page by a row, and the total stays", async (_fault, rule, expected) => {
  await using sandbox = await start([rule]);
  await makeAlerts(sandbox, 6);
  expect([await pagesOf(sandbox), await pagesOf(sandbox)]).toEqual([expected, "01 23 45"]);
});

test("stale-list: lists lack a new record for a while, and a request by id returns it", async () => {
  let now = 1_000_000;
  await using sandbox = await start([{ fault: "stale-list", route: "POST dashboards" }], { now: () => now });
  const { id } = record(await call(sandbox, "POST", "dashboards", named("first")));
  now += 300;
  await call(sandbox, "POST", "dashboards", named("second"));
  expect(await names(sandbox)).toEqual([]);
  expect((await call(sandbox, "GET", `dashboards/${id}`)).status).toBe(200);
  now += 200;
  expect(await names(sandbox)).toEqual(["first"]);
  now += 300;
  expect(await names(sandbox)).toEqual(["second", "first"]);
  expect(sandbox.faultCounts()).toEqual({ "stale-list": 2 });
});

test("stale-list: pages and totals lack the new record, and nth counts only successful creates", async () => {
  let now = 1_000_000;
  const rule = { fault: "stale-list", route: "POST alerts", nth: 2, ms: 50 } as const;
  await using sandbox = await start([rule], { now: () => now });
  expect((await call(sandbox, "POST", "alerts", {})).status).toBe(400);
  await makeAlerts(sandbox, 3);
  const page = await call(sandbox, "GET", "alerts?limit=2&offset=0");
  expect(list(page).map(({ name }) => name)).toEqual(["0", "2"]);
  expect(json(page)["meta"]).toEqual({ total: 2, limit: 2, offset: 0 });
  expect(page.headers.get("x-total-count")).toBe("2");
  now += 50;
  expect(await names(sandbox, "alerts")).toEqual(["0", "1", "2"]);
});

test("stale-list: the fault can be combined with a response fault", async () => {
  let now = 1_000_000;
  const rules: readonly Rule[] = [{ fault: "stale-list" }, { fault: "reset-after", route: "POST dashboards" }];
  await using sandbox = await start(rules, { now: () => now });
  await expect(call(sandbox, "POST", "dashboards", named("d"))).rejects.toThrow("fetch failed");
  expect(await names(sandbox)).toEqual([]);
  now += 500;
  expect(await names(sandbox)).toEqual(["d"]);
  expect(sandbox.faultCounts()).toEqual({ "stale-list": 1, "reset-after": 1 });
});

test("drop-field: a member is not stored, as if the request lacked it", async () => {
  await using sandbox = await start([{ fault: "drop-field", field: "tags", nth: [2, 3, 4] }]);
  const create = async (body: object) => record(await call(sandbox, "POST", "dashboards", { ...named("d"), ...body }));
  expect((await create({ tags: ["a"] }))["tags"]).toEqual(["a"]);
  const made = await create({ tags: ["a"] });
  expect([made["name"], made["tags"]]).toEqual(["d", []]);
  expect(record(await call(sandbox, "GET", `dashboards/${made.id}`))["tags"]).toEqual([]);
  await create({});
  expect(sandbox.faultCounts()).toEqual({ "drop-field": 1 });
});

test("drop-field: an update leaves the old value of the dropped member", async () => {
  const rule = { fault: "drop-field", field: "tags", route: "PUT dashboards/{id}" } as const;
  await using sandbox = await start([rule]);
  const made = record(await call(sandbox, "POST", "dashboards", { ...named("d"), tags: ["old"] }));
  const body = { name: "new", tiles: [], tags: ["new"] };
  const kept = record(await call(sandbox, "PUT", `dashboards/${made.id}`, body));
  expect([kept["name"], kept["tags"]]).toEqual(["new", ["old"]]);
});

test("drop-field: a path leads through arrays, and a required member can be dropped", async () => {
  await using sandbox = await start([
    { fault: "drop-field", field: "tiles.config" },
    { fault: "drop-field", field: "tags" },
  ]);
  const body = { name: "d", tiles: [markdownTile("a"), markdownTile("b")], tags: ["a"] };
  const { id } = record(await call(sandbox, "POST", "dashboards", body));
  const found = record(await call(sandbox, "GET", `dashboards/${id}`));
  const tiles = children(found, "tiles");
  expect(tiles.map(({ name, config }) => [name, config])).toEqual([
    ["a", undefined],
    ["b", undefined],
  ]);
  expect("tags" in found).toBe(false);
});

test("drop-field: an otherwise invalid body is still refused", async () => {
  await using sandbox = await start([{ fault: "drop-field", field: "tags" }]);
  const answer = await call(sandbox, "POST", "dashboards", { tiles: [], tags: [] });
  expect([answer.status, json(answer)["message"]]).toEqual([400, "Body validation failed: name: Required"]);
  expect(await names(sandbox)).toEqual([]);
});

test("case-ids: the ids of records are in upper case, and references to them are not", async () => {
  for (const variant of ["self-hosted", "managed"] as const) {
    await using sandbox = await start([{ fault: "case-ids", route: "GET *" }], { variant });
    const made = record(await call(sandbox, "POST", "dashboards", named("d")));
    expect(made.id).toBe(made.id.toLowerCase());
    const [found] = list(await call(sandbox, "GET", "dashboards"));
    expect(found).toEqual({ ...made, id: made.id.toUpperCase() });
    expect(record(await call(sandbox, "GET", `dashboards/${made.id}`)).id).toBe(made.id.toUpperCase());
    expect(sandbox.faultCounts()).toEqual({ "case-ids": 2 });
  }
});

test("case-ids: requests accept ids in either case, and the stack stores the original ones", async () => {
  await using sandbox = await start([{ fault: "case-ids", route: "GET dashboards" }]);
  const made = record(await call(sandbox, "POST", "dashboards", named("d")));
  const id = made.id.toUpperCase();
  const [tile] = children(made, "tiles");
  const tiles = [{ ...markdownTile("ABCDEF".repeat(4)), id: tile?.id.toUpperCase() }];
  const kept = record(await call(sandbox, "PUT", `dashboards/${id}`, { name: "e", tiles }));
  expect([kept.id, children(kept, "tiles")[0]?.id]).toEqual([made.id, tile?.id]);
  expect(children(kept, "tiles")[0]?.["name"]).toBe("ABCDEF".repeat(4));
  const webhookId = sandbox.webhooks[0]?.id ?? "";
  const body = { ...alertOn(kept, 0, webhookId.toUpperCase()), dashboardId: id, tileId: tile?.id.toUpperCase() };
  const alert = record(await call(sandbox, "POST", "alerts", body));
  expect([alert["dashboardId"], alert["tileId"]]).toEqual([made.id, tile?.id]);
  expect(member(alert, "channel")["webhookId"]).toBe(webhookId);
  expect((await call(sandbox, "DELETE", `dashboards/${id}`)).status).toBe(200);
  expect(await names(sandbox, "alerts")).toEqual([]);
});

test("case-ids: without the fault an id in the wrong case is not found", async () => {
  await using sandbox = await start([]);
  const made = record(await call(sandbox, "POST", "dashboards", named("d")));
  expect((await call(sandbox, "GET", `dashboards/${made.id.toUpperCase()}`)).status).toBe(404);
});

test("quietAfter ends data faults and response faults", async () => {
  const faults: FaultPlan = { rules: [{ fault: "drop-field", field: "tags" }, { fault: "500-after" }], quietAfter: 3 };
  await using sandbox = await startFaultySandbox({ variant: "self-hosted", faults });
  const body = { ...named("d"), tags: ["a"] };
  const statuses: number[] = [];
  for (let sent = 0; sent < 3; sent += 1) statuses.push((await call(sandbox, "POST", "dashboards", body)).status);
  expect(statuses).toEqual([500, 500, 200]);
  const tags = list(await call(sandbox, "GET", "dashboards")).map((dashboard) => dashboard["tags"]);
  expect(tags).toEqual([[], ["a"], ["a"]]);
  expect(sandbox.faultCounts()).toEqual({ "drop-field": 1, "500-after": 2 });
});

test("drop-field on a connection leaves the stored password unchanged", async () => {
  const faults = { rules: [{ fault: "drop-field", field: "isPrometheusEndpoint", route: "PUT *" }] } as const;
  await using sandbox = await startFaultySandbox({ variant: "self-hosted", faults });
  const body = {
    name: "Main",
    host: "h",
    username: "reader",
    password: "not-a-real-password",
  };
  const { id } = record(await call(sandbox, "POST", "connections", body));
  expect((await call(sandbox, "PUT", `connections/${id}`, { ...body, isPrometheusEndpoint: true })).status).toBe(200);
  const [stored] = sandbox.stored().connections;
  expect(stored).toMatchObject({ password: body.password });
  expect(stored).not.toHaveProperty("isPrometheusEndpoint");
});
