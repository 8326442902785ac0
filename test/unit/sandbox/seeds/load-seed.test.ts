import { expect, test } from "vitest";
import { startSandbox, type Sandbox } from "../../../../src/sandbox/start-sandbox.ts";
import { call, children, list, member, type Item } from "../call.ts";

const ID = /\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{24})\b/g;
const DISPLAY_TYPES = "line stacked_bar table number pie bar heatmap markdown search event_patterns".split(" ");
const THRESHOLD_TYPES = "above below above_exclusive below_or_equal equal not_equal between not_between".split(" ");

const sample = (variant: "managed" | "self-hosted") => startSandbox({ variant, seed: "sample" });
const get = async (sandbox: Sandbox, resource: string) => list(await call(sandbox, "GET", resource));

const configsOf = (dashboards: readonly Item[]) =>
  dashboards.flatMap((dashboard) => children(dashboard, "tiles").map((tile) => member(tile, "config")));

test.each(["managed", "self-hosted"] as const)(
  "%s: the sample seed covers every type of tile and alert",
  async (variant) => {
    await using sandbox = await sample(variant);
    const dashboards = await get(sandbox, "dashboards");
    const alerts = await get(sandbox, "alerts");
    const configs = configsOf(dashboards);
    const built = configs.filter((config) => config["configType"] !== "sql");
    expect(dashboards.length).toBeGreaterThanOrEqual(8);
    expect(new Set(built.map((config) => config["displayType"]))).toEqual(new Set(DISPLAY_TYPES));
    expect(configs.filter((config) => config["configType"] === "sql").length).toBeGreaterThanOrEqual(3);
    expect(new Set(alerts.map((alert) => alert["thresholdType"]))).toEqual(new Set(THRESHOLD_TYPES));
    const [onTiles, onSearches] = ["tile", "saved_search"].map((source) =>
      alerts.filter((alert) => alert["source"] === source),
    );
    expect([alerts.length, onTiles?.length, onSearches?.length]).toEqual([14, 12, 2]);
    expect(new Set(onTiles?.map((alert) => alert["tileId"])).size).toBe(11);
    const searches = await get(sandbox, "saved-searches");
    expect(new Set(onSearches?.map((alert) => alert["savedSearchId"]))).toEqual(new Set(searches.map(({ id }) => id)));
    const sources = await get(sandbox, "sources");
    expect(sources.map((source) => source["kind"])).toEqual(["log", "trace", "metric", "session", "log"]);
    expect(new Set(sources.map((source) => source["connection"])).size).toBe(2);
    expect(sandbox.webhooks).toHaveLength(3);
    if (variant === "managed") expect(sandbox.stored().pipes).toHaveLength(4);
  },
);

test("the dashboards of the sample seed link to each other and to themselves", async () => {
  await using sandbox = await sample("self-hosted");
  const dashboards = await get(sandbox, "dashboards");
  const links = dashboards.flatMap((dashboard) =>
    configsOf([dashboard]).flatMap((config) => {
      if (config["onClick"] === undefined) return [];
      const onClick = member(config, "onClick");
      return onClick["type"] === "dashboard" ? [[dashboard.id, member(onClick, "target")["id"]] as const] : [];
    }),
  );
  expect(links.some(([from, to]) => from === to)).toBe(true);
  expect(links.some(([from, to]) => from !== to && links.some(([back, there]) => back === to && there === from))).toBe(
    true,
  );
});

test.each(["managed", "self-hosted"] as const)(
  "%s: every id in the sample seed is the id of one of its records",
  async (variant) => {
    await using sandbox = await sample(variant);
    const records = [
      ...(await get(sandbox, "dashboards")),
      ...(await get(sandbox, "alerts")),
      ...(await get(sandbox, "sources")),
      ...(await get(sandbox, "saved-searches")),
    ];
    const connections = records.map((each) => each["connection"]);
    const team = records.map((each) => each["teamId"]);
    const known = new Set<unknown>([
      ...idsWithin(records),
      ...sandbox.webhooks.map(({ id }) => id),
      ...connections,
      ...team,
    ]);
    const named = JSON.stringify(records).match(ID) ?? [];
    expect(named.length).toBeGreaterThan(150);
    expect(named.filter((id) => !known.has(id))).toEqual([]);
    const texts = JSON.stringify(
      configsOf(records.filter((each) => "tiles" in each)).map((config) => config["markdown"]),
    );
    expect(texts).toMatch(/https:\/\/observability\.example\.com\/dashboards\/[0-9a-f-]{24,36}/);
    const messages = JSON.stringify(records.map((each) => each["message"]));
    expect(messages).toMatch(/https:\/\/observability\.example\.com\/search\/[0-9a-f-]{24,36}/);
  },
);

test("the bare seed has the sources and webhooks of the sample under other ids, and no other records", async () => {
  await using from = await sample("self-hosted");
  await using to = await startSandbox({ variant: "self-hosted", seed: "bare" });
  const shape = (source: Item) => [source["name"], source["kind"], source["from"], Object.keys(source)];
  const [left, right] = [await get(from, "sources"), await get(to, "sources")];
  expect(right.map(shape)).toEqual(left.map(shape));
  expect(to.webhooks.map(({ name }) => name)).toEqual(from.webhooks.map(({ name }) => name));
  const ids = [...left, ...right].flatMap((source) => [source.id, source["connection"]]);
  expect(new Set(ids).size).toBe(14);
  const others = await Promise.all(["dashboards", "alerts", "saved-searches"].map((kind) => get(to, kind)));
  expect(others).toEqual([[], [], []]);
});

test("a sandbox with the same clock and random source is the same, and without them it differs", async () => {
  const fixed = { variant: "managed", seed: "sample", now: () => 1_767_225_600_000, random: () => 0.5 } as const;
  const faces = [];
  for (const options of [fixed, fixed, { variant: "managed", seed: "sample" } as const]) {
    await using sandbox = await startSandbox(options);
    faces.push((await call(sandbox, "GET", "alerts")).text.replace(/"requestId":"[^"]+"/, ""));
  }
  expect(faces[1]).toBe(faces[0]);
  expect(faces[2]).not.toBe(faces[0]);
});

function idsWithin(records: readonly Item[]): readonly string[] {
  const boards = records.filter((each) => "tiles" in each);
  const inner = boards.flatMap((board) => [...children(board, "tiles"), ...children(board, "filters")]);
  return [...records, ...inner].map(({ id }) => id);
}
