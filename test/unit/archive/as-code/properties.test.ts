import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { openCode } from "../../../../src/archive/as-code/read/open-code.ts";
import { createCodeWriter } from "../../../../src/archive/as-code/write/writer.ts";
import type { JsonObject } from "../../../../src/core/json.ts";
import { planRecords } from "../../../../src/import/plan/plan-import.ts";
import { importInto, plainImport } from "../../../support/import-stage.ts";
import { recordsIn } from "../../../support/archive-samples.ts";
import { memoryStack, type MemoryStack } from "../../../support/memory-stack.ts";
import { oddNames as names } from "../../../support/odd-names.ts";
import { inventoryOf } from "../../../support/rollback-runs.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { propertyRuns } from "../../../support/tries.ts";

function hexId(digit: string, number: number): string {
  return digit.repeat(20) + number.toString(16).padStart(4, "0");
}

const number = fc.nat(4);
const texts = fc.oneof(
  names,
  fc.string({ maxLength: 30 }).map((text) => `${text}\n  SELECT 1\n\n${text} `),
  fc.constantFrom(
    "${stackferry:",
    "${stackferry:dashboards/x}",
    "  leading\nand trailing\n\n",
    "x".repeat(150),
    "\n",
    "a\n\n",
  ),
  number.map((at) => `see /dashboards/${hexId("a", at)} there`),
);

const shapes = fc.record({
  connections: fc.array(names, { minLength: 1, maxLength: 2 }),
  sources: fc.array(fc.record({ name: names, kind: fc.constantFrom("log", "trace"), to: number, table: number }), {
    minLength: 1,
    maxLength: 4,
  }),
  webhooks: fc.uniqueArray(fc.record({ name: names, service: fc.constantFrom("slack", "generic") }), {
    minLength: 1,
    maxLength: 3,
    selector: ({ name, service }) => `${service} ${name}`,
  }),
  dashboards: fc.array(
    fc.record({
      name: names,
      tags: fc.array(names, { maxLength: 2 }),
      tiles: fc.array(
        fc.record({ name: names, x: number, y: number, source: number, text: texts, link: fc.option(number) }),
        { maxLength: 4 },
      ),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  alerts: fc.array(
    fc.record({
      name: fc.option(names),
      dashboard: number,
      tile: number,
      webhooks: fc.array(number, { minLength: 1, maxLength: 2 }),
      message: texts,
      threshold: number,
    }),
    { maxLength: 5 },
  ),
});

type Shape = typeof shapes extends fc.Arbitrary<infer Value> ? Value : never;

function stackOf(shape: Shape): Record<string, JsonObject[]> {
  const connections = shape.connections.map((name, at) => ({
    id: hexId("c", at),
    name,
    host: "http://db",
    username: "u",
  }));
  const sources = shape.sources.map(({ name, kind, to, table }, at) => ({
    id: hexId("5", at),
    name,
    kind,
    connection: hexId("c", to % shape.connections.length),
    from: { databaseName: "default", tableName: `t${table}` },
    ...(at % 2 === 1 && { logSourceId: hexId("5", to % shape.sources.length) }),
  }));
  const webhooks = shape.webhooks.map(({ name, service }, at) => ({
    id: hexId("e", at),
    name,
    service,
    url: "https://x.test/y",
  }));
  const dashboards = shape.dashboards.map(({ name, tags, tiles }, at) => ({
    id: hexId("a", at),
    name,
    tags,
    tiles: tiles.map((tile, index) => ({
      id: hexId("d", at * 16 + index),
      name: tile.name,
      x: tile.x,
      y: tile.y,
      w: 6,
      h: 2,
      config:
        tile.link === null
          ? { displayType: "markdown", markdown: tile.text }
          : {
              displayType: "table",
              sourceId: hexId("5", tile.source % sources.length),
              select: [{ aggFn: "count", valueExpression: "", where: tile.text, whereLanguage: "lucene" }],
              onClick: {
                type: "dashboard",
                target: { mode: "id", id: hexId("a", tile.link % shape.dashboards.length) },
              },
            },
    })),
  }));
  const alerts = shape.alerts.flatMap((alert, at) => {
    const dashboard = dashboards[alert.dashboard % dashboards.length];
    const tile = dashboard?.tiles[alert.tile % Math.max(1, dashboard.tiles.length)];
    if (dashboard === undefined || tile === undefined) return [];
    // The servers refuse an alert that notifies one webhook twice.
    const notified = new Set(alert.webhooks.map((number) => number % webhooks.length));
    const channels = [...notified].map((number) => ({
      type: "webhook",
      webhookId: hexId("e", number),
    }));
    return [
      {
        id: hexId("b", at),
        name: alert.name,
        message: alert.message,
        source: "tile",
        dashboardId: dashboard.id,
        tileId: tile.id,
        threshold: alert.threshold,
        thresholdType: "above",
        interval: "5m",
        channel: channels[0] ?? null,
        channels,
      },
    ];
  });
  return { connections, sources, webhooks, dashboards, alerts, "saved-searches": [] };
}

async function writeFiles(stack: MemoryStack): Promise<string> {
  const folder = temporaryFolder();
  const inventory = await inventoryOf(stack);
  await using writer = createCodeWriter({
    path: folder,
    isWanted: () => true,
    isKindWanted: () => true,
    mirror: false,
    warn: () => {},
    check: () => {},
    signal: undefined,
  });
  for (const { records } of inventory.kinds.values()) for (const record of records) await writer.add(record);
  await writer.finish({
    createdAt: "",
    createdBy: { name: "", version: "" },
    source: inventory.stack,
    kinds: {},
    redactions: [],
    warnings: [],
  });
  return folder;
}

async function filesOf(folder: string): Promise<Record<string, string>> {
  const found = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(".yaml")).toSorted();
  const read = found.map(async (file) => [file, await readFile(join(folder, file), "utf8")] as const);
  return Object.fromEntries(await Promise.all(read));
}

async function applied(folder: string, stack: MemoryStack) {
  const inventory = await inventoryOf(stack);
  const { reader, paired } = await openCode(folder, folder, () => Promise.resolve(inventory));
  return { records: await recordsIn(reader), paired, inventory };
}

it("an apply writes nothing when a stack's own files are applied to it", async () => {
  await fc.assert(
    fc.asyncProperty(shapes, async (shape) => {
      const stack = memoryStack(stackOf(shape));
      const { records, paired, inventory } = await applied(await writeFiles(stack), stack);
      const options = { ...plainImport, onConflict: "overwrite" as const, mapping: paired };
      const plan = await planRecords({ records, source: inventory.stack, inventory, options });
      const written = plan.items.filter(({ action }) => action !== "unchanged" && action !== "skip");
      expect(written).toEqual([]);
      expect(plan.items.filter(({ code }) => code === "exists" || code === "unmatched")).toEqual([]);
    }),
    propertyRuns(10),
  );
});

/** Writes the stack's lists as curl saves them: with nulls, times and states of the server. */
async function writeLists(stack: Readonly<Record<string, readonly JsonObject[]>>): Promise<string> {
  const folder = temporaryFolder();
  const shown = { note: null, createdAt: "2026-08-01T10:00:00.000Z", updatedAt: "2026-08-01T10:00:00.000Z" };
  for (const [kind, records] of Object.entries(stack)) {
    const state = kind === "alerts" ? { state: "OK", teamId: hexId("f", 1) } : {};
    const data = records.map((record) => ({ ...shown, ...state, ...record }));
    await writeFile(join(folder, `list-${kind}.json`), JSON.stringify({ data, meta: { total: data.length } }, null, 1));
  }
  return folder;
}

/** Applies a folder to an empty stack, and returns the files of that stack. */
async function filesAfterApply(folder: string): Promise<Record<string, string>> {
  const empty = memoryStack({
    connections: [],
    sources: [],
    webhooks: [],
    dashboards: [],
    alerts: [],
    "saved-searches": [],
  });
  const { records, paired } = await applied(folder, empty);
  const none = [{ value: null }];
  const places = { "/password": none, "/headers": none, "/queryParams": none };
  const answers = records.map(({ kind, id }) => [`${kind}/${id}`, places]);
  const options = {
    onConflict: "overwrite",
    mapping: paired,
    create: ["connections", "sources", "webhooks"],
    secrets: Object.fromEntries(answers),
  } as const;
  const { plan } = await importInto(empty, records, options);
  expect(plan.items.filter(({ action }) => action === "blocked")).toEqual([]);
  return filesOf(await writeFiles(empty));
}

it("a stack to which files were applied exports the same files", async () => {
  await fc.assert(
    fc.asyncProperty(shapes, async (shape) => {
      const folder = await writeFiles(memoryStack(stackOf(shape)));
      expect(await filesAfterApply(folder)).toEqual(await filesOf(folder));
    }),
    propertyRuns(10),
  );
});

it("an apply makes the same stack of its lists, as curl saves them, as of its files", async () => {
  await fc.assert(
    fc.asyncProperty(shapes, async (shape) => {
      const stack = stackOf(shape);
      const files = await filesOf(await writeFiles(memoryStack(stack)));
      expect(await filesAfterApply(await writeLists(stack))).toEqual(files);
    }),
    propertyRuns(10),
  );
});
