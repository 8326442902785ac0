import { expect, test } from "vitest";
import type { Sandbox } from "../../../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../../../src/sandbox/start-sandbox.ts";
import type { Item } from "../call.ts";
import { call, children, list, member } from "../call.ts";

async function web(): Promise<Sandbox> {
  return startSandbox({ variant: "self-hosted", seed: "web" });
}

/** Returns the dashboard of this name (outer blanks do not count), as responses show it and as it is stored. */
async function dashboard(sandbox: Sandbox, name: string): Promise<{ readonly shown: Item; readonly stored: Item }> {
  const isIt = (each: Item): boolean => String(each["name"]).trim() === name;
  const shown = list(await call(sandbox, "GET", "dashboards")).find(isIt);
  const stored = sandbox.stored().dashboards.find(isIt);
  if (shown === undefined || stored === undefined) throw new Error(`the seed has no dashboard ${name}`);
  return { shown, stored };
}

test("the web seed serves all its records, and names with blanks at both ends", async () => {
  await using sandbox = await web();
  const counts = await Promise.all(
    ["connections", "sources", "webhooks", "saved-searches", "dashboards", "alerts"].map(
      async (kind) => list(await call(sandbox, "GET", kind)).length,
    ),
  );
  expect(counts).toEqual([2, 4, 2, 1, 4, 5]);
  expect((await dashboard(sandbox, "Checkout overview")).shown["name"]).toBe(" Checkout overview ");
});

test("the web seed has PromQL tiles, which are stored and left out of responses", async () => {
  await using sandbox = await web();
  const { shown, stored } = await dashboard(sandbox, "Nodes");
  expect(children(stored, "tiles").map(({ id }) => id)).toEqual(["cpu", "up", "load"]);
  expect(children(shown, "tiles").map(({ id }) => id)).toEqual(["cpu"]);
});

test("the web seed has an empty metric value, which is served and refused in an update", async () => {
  await using sandbox = await web();
  const { shown } = await dashboard(sandbox, "Nodes");
  const answer = await call(sandbox, "PUT", `dashboards/${shown.id}`, shown);
  expect(answer.status).toBe(400);
  expect(answer.text).toContain("tiles.0.config.select.0");
  const { id: _, ...body } = shown;
  expect(validity(await call(sandbox, "POST", "dashboards/validate", body))).toBe(false);
});

test("the web seed has tiles that are served with another type, and alerts on a table and a note", async () => {
  await using sandbox = await web();
  const { shown, stored } = await dashboard(sandbox, "Sketches");
  const types = (item: Item) => children(item, "tiles").map((tile) => member(tile, "config")["displayType"]);
  expect(types(stored)).toEqual(["line", "gauge", "search", "line", "number"]);
  expect(types(shown)).toEqual(["line", "line", "line", "line", "number"]);
  const { id } = (await dashboard(sandbox, "Checkout overview")).stored;
  const alerts = sandbox.stored().alerts.filter((alert) => alert["dashboardId"] === id);
  expect(alerts.map(({ tileId }) => tileId)).toEqual(["abc123", "tbl", "md"]);
});

function validity(answer: { readonly text: string }): unknown {
  return (JSON.parse(answer.text) as { readonly valid: unknown }).valid;
}
