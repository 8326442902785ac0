import { expect, test } from "vitest";
import { startSandbox } from "../../../../src/sandbox/start-sandbox.ts";
import { alertOn, call, children, json, list, numberTile, record } from "../call.ts";

const id = (digit: string) => digit.repeat(24);
const hook = (digit: string, service: string) => ({
  id: id(digit),
  name: digit,
  service,
  url: "https://example.com/x",
  createdAt: "2026-11-21T00:00:00.000Z",
  updatedAt: "2026-11-21T00:00:00.000Z",
});
const CONNECTION = { id: id("c"), name: "c", host: "http://db:8123", username: "reader" };
const SOURCE = {
  id: id("d"),
  name: "",
  kind: "log",
  connection: id("c"),
  from: { databaseName: "d", tableName: "t" },
  timestampValueExpression: "t",
  defaultTableSelectExpression: "t",
};

const stack = () =>
  startSandbox({
    variant: "self-hosted",
    seed: {
      webhooks: [hook("1", "generic"), hook("2", "opsgenie"), hook("3", "opsgenie"), hook("4", "generic")],
      connections: [CONNECTION, { id: id("b"), name: "b", host: "" }],
      sources: [SOURCE],
    },
  });

test("a webhook that cannot be shown counts: a page may be empty with more behind it", async () => {
  await using sandbox = await stack();
  const page = async (query: string) => {
    const answer = await call(sandbox, "GET", `webhooks${query}`);
    expect(json(answer)["meta"]).toMatchObject({ total: 4 });
    return list(answer).map(({ name }) => name);
  };
  expect(await page("")).toEqual(["1", "4"]);
  expect(await page("?limit=1&offset=1")).toEqual([]);
  expect(await page("?limit=2&offset=2")).toEqual(["4"]);
});

test("a webhook that cannot be shown can be notified, stays while it is, and comes back with a service", async () => {
  await using sandbox = await stack();
  const body = { ...hook("4", "generic"), id: undefined };
  await call(sandbox, "PUT", `sources/${SOURCE.id}`, { ...SOURCE, name: "s" });
  const dashboard = record(
    await call(sandbox, "POST", "dashboards", { name: "d", tiles: [numberTile("t", SOURCE.id)] }),
  );
  expect(children(dashboard, "tiles")).toHaveLength(1);
  expect((await call(sandbox, "POST", "alerts", alertOn(dashboard, 0, id("2")))).status).toBe(200);
  expect((await call(sandbox, "DELETE", `webhooks/${id("2")}`)).status).toBe(409);
  expect((await call(sandbox, "PUT", `webhooks/${id("2")}`, { ...body, name: "5" })).status).toBe(200);
  expect(list(await call(sandbox, "GET", "webhooks")).map(({ name }) => name)).toEqual(["1", "5", "4"]);
});

test("a source without a name is in no list and no answer, can be named, and an update repairs it", async () => {
  await using sandbox = await stack();
  expect(list(await call(sandbox, "GET", "sources"))).toEqual([]);
  expect((await call(sandbox, "GET", `sources/${SOURCE.id}`)).status).toBe(500);
  const body = { name: "d", tiles: [numberTile("t", SOURCE.id)] };
  expect((await call(sandbox, "POST", "dashboards", body)).status).toBe(200);
  expect((await call(sandbox, "PUT", `sources/${SOURCE.id}`, { ...SOURCE, name: "s" })).status).toBe(200);
  expect(list(await call(sandbox, "GET", "sources"))).toMatchObject([{ id: SOURCE.id, name: "s" }]);
});

test("the list of connections names those that it skips", async () => {
  await using sandbox = await stack();
  const answer = await call(sandbox, "GET", "connections");
  expect(json(answer)).toEqual({ data: [CONNECTION], meta: { skipped: 1, skippedIds: [id("b")] } });
  expect((await call(sandbox, "GET", `connections/${id("b")}`)).status).toBe(500);
});
