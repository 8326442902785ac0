import { expect, test } from "vitest";
import { startSandbox } from "../../../src/sandbox/start-sandbox.ts";
import { clientOfSandbox, kindOf, listAll, refusal } from "./support/clients.ts";

const dashboards = kindOf("dashboards");
const alerts = kindOf("alerts");

const tile = { name: "a", x: 0, y: 0, w: 4, h: 4, config: { displayType: "markdown", markdown: "" } };

test.each(["managed", "self-hosted"] as const)(
  "a record lives and dies on a %s stack, one request at a time",
  async (variant) => {
    await using sandbox = await startSandbox({ variant, seed: "bare" });
    const client = clientOfSandbox(sandbox);
    const before = await listAll(client, "dashboards");
    const created = await client.create(dashboards, { name: "one", tiles: [tile] });
    const id = String(created["id"]);
    await expect(client.get(dashboards, id)).resolves.toEqual(created);
    await expect(client.update(dashboards, id, { name: "two", tiles: [tile] })).resolves.toMatchObject({
      id,
      name: "two",
    });
    await expect(listAll(client, "dashboards")).resolves.toHaveLength(before.length + 1);
    await client.delete(dashboards, id);
    await client.delete(dashboards, id);
    await client.delete(alerts, id);
    await expect(refusal(client.get(dashboards, id))).resolves.toMatchObject({ code: "not-found" });
    await expect(refusal(client.create(dashboards, { name: "bad" }))).resolves.toMatchObject({ code: "rejected" });
    expect(client.requestCounts()).toMatchObject({ total: 10, retried: 0 });
  },
);

test("pages of any size give the same list", async () => {
  await using sandbox = await startSandbox({ variant: "self-hosted", seed: "sample" });
  const whole = await listAll(clientOfSandbox(sandbox), "alerts");
  expect(whole.length).toBeGreaterThan(2);
  for (const pageSize of [1, 2, whole.length]) {
    const client = clientOfSandbox(sandbox, { pageSize });
    await expect(listAll(client, "alerts")).resolves.toEqual(whole);
    expect(client.requestCounts().total).toBe(Math.ceil(whole.length / pageSize));
  }
});

test("chart series are answered as they come", async () => {
  await using sandbox = await startSandbox({ variant: "self-hosted", seed: "sample" });
  const client = clientOfSandbox(sandbox);
  const [source] = await listAll(client, "sources");
  const series = [{ sourceId: (source as { id: string }).id, aggFn: "count", where: "", groupBy: [] }];
  const query = { startTime: 1_700_000_000_000, endTime: 1_700_000_600_000, granularity: "1m", series };
  await expect(client.querySeries(query)).resolves.toHaveProperty("data");
});
