import { expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import { readSandbox } from "../support/read-sandbox.ts";
import { source, webhook } from "../support/stack-records.ts";
import { twoStacks } from "../support/sandbox-pair.ts";

const DASHBOARDS = 20;
const ALERTS = 30;
const TILES = ["Requests", "Errors", "Latency"];
const id = (prefix: string, number: number): string => prefix + number.toString(16).padStart(24 - prefix.length, "0");
/** Dashboards of a managed stack have uuids. */
const uuid = (prefix: string, number: number): string =>
  id(prefix, number).replace(/^(.{8})(.{4})(.{3})(.{3})(.{6})$/, "$1-$2-4$3-8$4-000000$5");
const numbers = (count: number): number[] => Array.from({ length: count }, (_, number) => number);
const sources = [source(id("5", 0), "Logs", id("c", 0))];
const webhooks = [webhook(id("e", 0), "On call")];

/** The same twenty dashboards by name, each stack with ids of its own, and tiles in its own order. */
function dashboards(prefix: string, idOf: typeof id, tiles: readonly string[], more: JsonObject): JsonObject[] {
  return numbers(DASHBOARDS).map((number) => ({
    id: idOf(`${prefix}1`, number),
    name: `Dashboard ${number}`,
    tags: [],
    filters: [],
    tiles: tiles.map((name, repository) => ({
      id: id(`${prefix}2`, number * 10 + TILES.indexOf(name)),
      name,
      x: repository * 8,
      y: 0,
      w: 8,
      h: 4,
      config: {
        displayType: "line",
        fillNulls: true,
        sourceId: id("5", 0),
        select: [{ aggFn: "count", where: "", whereLanguage: "lucene" }],
        ...more,
      },
    })),
  }));
}

/** Alerts that only the target has, spread over the tiles. */
const alertsOn = (idOf: typeof id): JsonObject[] =>
  numbers(ALERTS).map((number) => ({
    id: id("a3", number),
    name: `Alert ${number}`,
    source: "tile",
    dashboardId: idOf("a1", number % DASHBOARDS),
    tileId: id("a2", (number % DASHBOARDS) * 10 + (number % TILES.length)),
    threshold: 5,
    thresholdType: "above",
    interval: "5m",
    channel: { type: "webhook", webhookId: id("e", 0) },
  }));

it.each(["self-hosted", "managed"] as const)(
  "an update of 20 dashboards leaves all 30 alerts of a %s target as they are, with their ids",
  async (variant) => {
    const changed = dashboards("b", id, TILES.toReversed(), { groupBy: "ServiceName" });
    const idOf = variant === "managed" ? uuid : id;
    const seed = { sources, webhooks, dashboards: dashboards("a", idOf, TILES, {}), alerts: alertsOn(idOf) };
    const ours = { variant: "self-hosted", seed: { sources, webhooks, dashboards: changed } } as const;
    await using stacks = await twoStacks(ours, { variant, seed });
    const { run, json, to } = stacks;
    const before = await readSandbox(to, "alerts");
    expect(before).toHaveLength(ALERTS);
    await run("export --from $FROM --out a.zip --quiet");
    const line = "import a.zip --to $TO --on-conflict update";
    expect(await json(line)).toMatchObject({ exitCode: 0, counts: { update: DASHBOARDS } });
    expect(await readSandbox(to, "alerts")).toEqual(before);
    const after = await readSandbox(to, "dashboards");
    expect(after).toHaveLength(DASHBOARDS);
    for (const { tiles } of after) expect(JSON.stringify(tiles)).toContain("ServiceName");
    expect(await json(`${line} --journal other`)).toMatchObject({ exitCode: 0, counts: { unchanged: DASHBOARDS } });
  },
);
