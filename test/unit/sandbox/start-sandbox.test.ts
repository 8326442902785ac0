import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { describeSandbox, startSandbox, type SandboxOptions } from "../../../src/sandbox/start-sandbox.ts";
import { authorizationOf, call, markdownTile } from "./call.ts";

const refused: readonly (readonly [string, Partial<SandboxOptions>])[] = [
  ["a record without an id", { seed: { alerts: [{ name: "x" }] } }],
  ["an id used twice", { seed: { alerts: [{ id: "x" }, { id: "x" }] } }],
];

test.each(refused)("startSandbox refuses %s", async (_, options) => {
  const starting = startSandbox({ variant: "managed", ...options });
  await expect(starting).rejects.toMatchObject({ name: "Error", code: "sandbox-usage" });
});

test("startSandbox fails with sandbox-io if the port is in use", async () => {
  await using first = await startSandbox({ variant: "managed" });
  const port = Number(new URL(first.url).port);
  await expect(startSandbox({ variant: "managed", port })).rejects.toMatchObject({ code: "sandbox-io" });
});

test("the sandbox has the given organization, service and credentials", async () => {
  const organizationId = "5f0c2c1e-6a0e-4b7c-9a56-1f9a4c1d2e3f";
  const serviceId = "0b7d4a52-8e1f-4f0a-9d0e-7a1b2c3d4e5f";
  const credentials = { keyId: "id", keySecret: "s:e:c" };
  await using sandbox = await startSandbox({ variant: "managed", organizationId, serviceId, credentials });
  const stack = `${sandbox.url}/v1/organizations/${organizationId}/services/${serviceId}`;
  expect(describeSandbox(sandbox)).toEqual({
    url: sandbox.url,
    variant: "managed",
    organizationId,
    serviceId,
    keyId: "id",
    keySecret: "s:e:c",
    stack,
    webhooks: [],
  });
  expect((await call(sandbox, "GET", "dashboards")).status).toBe(200);
});

test("a self-hosted sandbox is described by its key and its webhooks", async () => {
  await using sandbox = await startSandbox({ variant: "self-hosted", seed: "bare" });
  const { url, apiKey, webhooks } = sandbox;
  expect(describeSandbox(sandbox)).toEqual({ url, variant: "self-hosted", apiKey, stack: url, webhooks });
  expect(webhooks.map(({ name }) => name)).toEqual(["oncall-slack", "pager", "incidents"]);
});

test("close ends idle connections, and can be called again", async () => {
  const sandbox = await startSandbox({ variant: "self-hosted" });
  const socket = connect(Number(new URL(sandbox.url).port), "127.0.0.1");
  await once(socket, "connect");
  await call(sandbox, "GET", "dashboards");
  await Promise.all([sandbox.close(), once(socket.resume(), "close")]);
  await sandbox.close();
  await expect(call(sandbox, "GET", "dashboards")).rejects.toThrow("fetch failed");
});

test("a request without a connection is checked, carried out, counted and answered as one over a connection", async () => {
  await using sandbox = await startSandbox({ variant: "self-hosted" });
  const url = `${sandbox.url}/api/v2/dashboards?limit=5`;
  const headers = { authorization: authorizationOf(sandbox), "content-type": "application/json" };
  const create = { method: "POST", headers, body: JSON.stringify({ name: "d", tiles: [markdownTile("t", "a")] }) };
  for (const init of [{}, { ...create, body: "{" }, create, { headers }, { method: "PATCH", headers }]) {
    const direct = await sandbox.fetch(new Request(url, init));
    const connected = await fetch(url, init);
    expect([direct.status, direct.headers.get("content-type")]).toEqual([
      connected.status,
      connected.headers.get("content-type"),
    ]);
  }
  const listed = await (await fetch(url, { headers })).text();
  expect(await (await sandbox.fetch(new Request(url, { headers }))).text()).toBe(listed);
  expect(sandbox.stored().dashboards).toHaveLength(2);
  expect(sandbox.stats().byStatus).toEqual({ "200": 6, "400": 2, "401": 2, "404": 2 });
});

test("the sandbox does not replace the global Request and Response", async () => {
  const before = [Request, Response];
  await using sandbox = await startSandbox({ variant: "self-hosted" });
  await call(sandbox, "GET", "dashboards");
  expect(Request === before[0] && Response === before[1]).toBe(true);
});

const BY_SOURCE = "a".repeat(24);
const BY_ITSELF = "b".repeat(24);

test.each([
  ["if a source names it and the seed lists no connections", [], [200, 400, 400]],
  ["only as a record if the seed lists connections", [{ id: BY_ITSELF }], [400, 200, 400]],
])("a connection exists %s", async (_, connections, expected) => {
  const sources = [{ id: "s", name: "Logs", kind: "log", connection: BY_SOURCE }];
  await using sandbox = await startSandbox({ variant: "self-hosted", seed: { sources, connections } });
  const statuses = [];
  for (const connectionId of [BY_SOURCE, BY_ITSELF, "c".repeat(24)]) {
    const config = { configType: "sql", displayType: "table", connectionId, sqlTemplate: "SELECT 1" };
    const answer = await call(sandbox, "POST", "dashboards", { name: "d", tiles: [{ ...markdownTile("t"), config }] });
    statuses.push(answer.status);
  }
  expect(statuses).toEqual(expected);
});
