import { expect, test } from "vitest";
import type { Sandbox } from "../../../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../../../src/sandbox/start-sandbox.ts";
import type { Item } from "../call.ts";
import { call, children, list, member, record } from "../call.ts";

async function web(): Promise<Sandbox> {
  return startSandbox({ variant: "self-hosted", seed: "web" });
}

/** The dashboard whose name that is but for outer blanks, as its answer shows it and as it is stored. */
async function dashboard(sandbox: Sandbox, name: string): Promise<{ readonly shown: Item; readonly stored: Item }> {
  const isIt = (each: Item): boolean => String(each["name"]).trim() === name;
  const shown = list(await call(sandbox, "GET", "dashboards")).find(isIt);
  const stored = sandbox.stored().dashboards.find(isIt);
  if (shown === undefined || stored === undefined) throw new Error(`the seed has no dashboard ${name}`);
  return { shown, stored };
}

test("every record is served, and outer blanks of names are", async () => {
  await using sandbox = await web();
  const counts = await Promise.all(
    ["connections", "sources", "webhooks", "saved-searches", "dashboards", "alerts"].map(
      async (kind) => list(await call(sandbox, "GET", kind)).length,
    ),
  );
  expect(counts).toEqual([2, 4, 2, 1, 4, 5]);
  expect((await dashboard(sandbox, "Checkout overview")).shown["name"]).toBe(" Checkout overview ");
});

test("tiles in the metric query language are stored and not shown, and an update deletes them with their alerts", async () => {
  await using sandbox = await web();
  const { shown, stored } = await dashboard(sandbox, "Nodes");
  expect(children(stored, "tiles").map(({ id }) => id)).toEqual(["cpu", "up", "load"]);
  expect(children(shown, "tiles").map(({ id }) => id)).toEqual(["cpu"]);
  const isOnHidden = (alert: Item): boolean => alert["tileId"] === "up";
  expect(list(await call(sandbox, "GET", "alerts")).filter(isOnHidden)).toHaveLength(1);

  const body = { ...shown, tiles: [] };
  expect((await call(sandbox, "PUT", `dashboards/${shown.id}`, body)).status).toBe(200);
  expect((await dashboard(sandbox, "Nodes")).stored["tiles"]).toEqual([]);
  expect(sandbox.stored().alerts.filter(isOnHidden)).toEqual([]);
});

test("a metric's empty value is shown, and refused when it is sent back", async () => {
  await using sandbox = await web();
  const { shown } = await dashboard(sandbox, "Nodes");
  const answer = await call(sandbox, "PUT", `dashboards/${shown.id}`, shown);
  expect(answer.status).toBe(400);
  expect(answer.text).toContain("tiles.0.config.select.0");
  const { id: _, ...body } = shown;
  expect(validity(await call(sandbox, "POST", "dashboards/validate", body))).toBe(false);
});

test("tiles come back as another type, and an update makes that of them", async () => {
  await using sandbox = await web();
  const { shown, stored } = await dashboard(sandbox, "Sketches");
  const types = (item: Item) => children(item, "tiles").map((tile) => member(tile, "config")["displayType"]);
  expect(types(stored)).toEqual(["line", "gauge", "search", "line", "number"]);
  expect(types(shown)).toEqual(["line", "line", "line", "line", "number"]);
  expect(JSON.stringify(shown)).not.toMatch(/granularity|chart-red|second|count\(\)/);

  record(await call(sandbox, "PUT", `dashboards/${shown.id}`, shown));
  const after = await dashboard(sandbox, "Sketches");
  expect(types(after.stored)).toEqual(types(shown));
  expect(JSON.stringify(after.stored)).not.toMatch(/granularity|chart-red|second|count\(\)/);
});

test("an update of a table and a note that are watched deletes their alerts, and leaves that of a line", async () => {
  await using sandbox = await web();
  const { shown } = await dashboard(sandbox, "Checkout overview");
  const alerts = (): readonly unknown[] =>
    sandbox.stored().alerts.flatMap((alert) => (alert["dashboardId"] === shown.id ? [alert["tileId"]] : []));
  expect(alerts()).toEqual(["abc123", "tbl", "md"]);
  // Its tag and the width of its table are over the bounds of a body.
  const tiles = children(shown, "tiles").map((tile) => ({ ...tile, w: 6 }));
  expect((await call(sandbox, "PUT", `dashboards/${shown.id}`, shown)).status).toBe(400);
  record(await call(sandbox, "PUT", `dashboards/${shown.id}`, { ...shown, tags: [], tiles }));
  expect(alerts()).toEqual(["abc123"]);
});

test("a language that was never sent is shown, and not stored", async () => {
  await using sandbox = await web();
  const { shown, stored } = await dashboard(sandbox, "Checkout overview");
  const languages = (item: Item) =>
    children(item, "tiles").flatMap((tile) => {
      const { select } = member(tile, "config");
      return Array.isArray(select) ? select.map((each: Item) => each["whereLanguage"]) : [];
    });
  expect(languages(shown)).toEqual(["lucene", "lucene", "lucene"]);
  expect(languages(stored)).toEqual(["lucene", undefined, "lucene"]);
});

function validity(answer: { readonly text: string }): unknown {
  return (JSON.parse(answer.text) as { readonly valid: unknown }).valid;
}
