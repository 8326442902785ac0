import type { SandboxSeed } from "../../src/sandbox/start-sandbox.ts";
import { shapeNamed, type Shape } from "../support/managed-shapes.ts";

type Body = Record<string, unknown>;

const id = (number: number): string => number.toString(16).padStart(24, "0");
const [LOGS, TRACES, CONNECTION, LINKED, WATCHED, WATCHED_TILE, SEARCH] = [1, 2, 9, 20, 21, 22, 30].map(id);
/** The number of tiles in one dashboard; a server accepts up to 500. */
const MAX_TILES = 200;

/**
 * Returns a managed stack whose records follow the published description, and which has every member and every branch of
 * every union. References, ids and sizes also fit what a server checks beyond the description.
 */
export function everythingDescribed(): SandboxSeed {
  const sources = withNames(bodies("Source", REFERENCES), 100).map(sourceThatFits);
  const base = [baseSource("log", LOGS, "Base logs"), baseSource("trace", TRACES, "Base traces")];
  const webhooks = withNames(bodies("Webhook", { url: "https://hooks.example.com/in" }), 1000);
  const savedSearches = withNames(
    bodies("SavedSearch", { sourceId: LOGS, tags: ["one", "two"], condition: "ServiceName IN ('cart')" }),
    2000,
  );
  const search = { id: SEARCH, name: "Watched search", sourceId: LOGS };
  const dashboards = [...linkedDashboards(), ...dashboardsOfTiles()];
  const alerts = withNames(bodies("AlertResponse", { scheduleOffsetMinutes: 0 }), 3000).map((body, index) =>
    alertThatFits(body, index, webhooks),
  );
  const pipes = bodies("ClickPipe", { serviceId: uuid(0) }).map((body, index) => ({
    ...body,
    id: uuid(index),
    name: `pipe ${index}`,
  }));
  return {
    sources: [...base, ...sources],
    webhooks,
    "saved-searches": [search, ...savedSearches],
    dashboards,
    alerts,
    pipes,
  };
}

/** The id of the connection. Managed stacks do not list connections, so a map file must name it. */
export const DESCRIBED_CONNECTION = CONNECTION ?? "";

/**
 * Returns a stack with the two sources on which all others depend, and with the webhooks, under other ids and on another
 * connection.
 */
export function emptyTarget(): SandboxSeed {
  const { webhooks = [] } = everythingDescribed();
  const moved = { connection: TARGET_CONNECTION };
  return {
    connections: [{ id: TARGET_CONNECTION, name: "theirs" }],
    sources: [
      { ...baseSource("log", id(501), "Base logs"), ...moved },
      { ...baseSource("trace", id(502), "Base traces"), ...moved },
    ],
    webhooks: webhooks.map((webhook, index) => ({ ...(webhook as Body), id: id(700 + index) })),
  };
}

/** The id of the connection on `emptyTarget`. */
export const TARGET_CONNECTION = id(509);

const REFERENCES: Body = {
  minGranularity: "1m",
  granularity: "1m",
  connection: CONNECTION,
  logSourceId: LOGS,
  traceSourceId: TRACES,
  metricSourceId: LOGS,
  sessionSourceId: TRACES,
};

function baseSource(kind: "log" | "trace", sourceId: string | undefined, name: string): Body {
  const plain = bodies("Source", REFERENCES)
    .filter((body) => body["kind"] === kind)
    .at(-1);
  return { ...plain, id: sourceId, name };
}

/** Adds a table to a source of metrics, because a server requires one. Sets the links of every second source to null. */
function sourceThatFits(body: Body, index: number): Body {
  const links = Object.keys(body).filter((member) => member.endsWith("SourceId") && body["kind"] !== "session");
  return {
    ...body,
    ...(index % 2 === 1 && Object.fromEntries(links.map((member) => [member, null]))),
    ...(body["kind"] === "metric" && {
      metricTables: { gauge: "otel_metrics_gauge", ...(body["metricTables"] as Body) },
    }),
  };
}

function bodies(shape: string, fixed: Body): Body[] {
  return valuesOf(shapeNamed(shape), (member) => fixed[member]) as Body[];
}

function withNames(records: readonly Body[], from: number): Body[] {
  return records.map((body, index) => ({ ...body, id: id(from + index), name: `record ${index}` }));
}

function uuid(index: number): string {
  return `7c9e6679-7425-40de-944b-${String(index).padStart(12, "0")}`;
}

/** Returns dashboards to which other dashboards link, and which alerts watch. */
function linkedDashboards(): Body[] {
  const select = [{ aggFn: "count" }];
  const line = { name: "Watched", x: 0, y: 0, w: 6, h: 3, config: { displayType: "line", sourceId: LOGS, select } };
  return [
    { id: LINKED, name: "Linked to", tiles: [] },
    { id: WATCHED, name: "Watched", tiles: [{ ...line, id: WATCHED_TILE }] },
  ];
}

function dashboardsOfTiles(): Body[] {
  const shape = shapeNamed("DashboardResponse");
  const parts: Shape = {
    ...shape,
    properties: { ...shape.properties, tiles: { type: "array", items: { type: "null" } } },
  };
  const fixed: Body = { sourceId: LOGS, appliesToSourceIds: [LOGS, TRACES], tags: ["one", "two"] };
  const around = valuesOf(parts, (member) => fixed[member]) as Body[];
  const configs = tileConfigs();
  const chunks = Array.from({ length: Math.ceil(configs.length / MAX_TILES) }, (_, index) =>
    configs.slice(index * MAX_TILES, (index + 1) * MAX_TILES),
  );
  return Array.from({ length: Math.max(around.length, chunks.length) }, (_, index) => {
    const body = around[index % around.length] ?? {};
    const own = withIds(body, index);
    const tiles = (chunks[index] ?? []).map((config, at) => tileOf(config, index, at, own));
    return { ...own, id: id(5000 + index), name: `dashboard ${index}`, tiles };
  });
}

/**
 * Returns each kind of tile. Only one kind has every number format, because all of them in every kind would make a thousand
 * tiles.
 */
function tileConfigs(): Body[] {
  const { anyOf = [] } = shapeNamed("TileConfig");
  return anyOf.flatMap((kind) => {
    const branches = shapeNamed(kind.$ref ?? "").anyOf ?? [kind];
    return branches.flatMap((branch) => {
      const all = (valuesOf(branch, (member) => TILE[member]) as Body[])
        .flatMap(ofOneSeries)
        .map((each, index) => configThatFits(each, index));
      if (branch.$ref === "NumberBuilderChartConfig") return all;
      const most = all.some((config) => config["onClick"] !== undefined) ? MAX_WITH_LINKS : MAX_OF_A_KIND;
      return [...all.slice(0, most), ...all.slice(-1)];
    });
  });
}

/** Enough tiles of one kind for every word of its enumerations, and MAX_WITH_LINKS for every form of a link. */
const MAX_OF_A_KIND = 5;
const MAX_WITH_LINKS = 15;

const TILE: Body = { sourceId: LOGS, connectionId: CONNECTION, urlTemplate: "https://example.com/{{x}}" };

function tileOf(
  config: Body,
  dashboard: number,
  at: number,
  { containers = [] }: { readonly containers?: unknown },
): Body {
  const [container] = containers as { id: string; tabs?: { id: string }[] }[];
  const place = container === undefined || at > 0 ? {} : { containerId: container.id, tabId: container.tabs?.[0]?.id };
  const own = { id: id(100_000 + dashboard * 1000 + at), name: `tile ${at}`, x: 0, y: at, w: 6, h: 3, config };
  return Object.fromEntries(Object.entries({ ...own, ...place }).filter(([, value]) => value !== undefined));
}

/** Gives each filter, container and tab an id of its own. */
function withIds(body: Body, index: number): Body {
  const filters = (body["filters"] as Body[] | undefined)?.map((filter, at) => ({
    ...filter,
    id: id(50_000 + index * 1000 + at),
    name: `filter ${at}`,
  }));
  const containers = (body["containers"] as Body[] | undefined)?.map((container, at) => ({
    ...container,
    id: `c${at}`,
    title: `container ${at}`,
    ...(container["tabs"] !== undefined && { tabs: [{ id: `t${at}`, title: "tab" }] }),
  }));
  return { ...body, ...(filters && { filters }), ...(containers && { containers }) };
}

function configThatFits(config: Body, index: number): Body {
  const { select, onClick } = config;
  return {
    ...config,
    ...(config["displayType"] === "heatmap" && { sourceId: TRACES }),
    ...(Array.isArray(select) && { select: selectThatFits(config["displayType"], select, index) }),
    ...(onClick !== undefined && { onClick: clickThatFits(onClick as Body) }),
  };
}

/** Returns one heatmap for each series, because a heatmap shows a single one. */
function ofOneSeries(config: Body): Body[] {
  const { select } = config;
  if (config["displayType"] !== "heatmap" || !Array.isArray(select)) return [config];
  return select.map((item: Body) => ({ ...config, select: [item] }));
}

/** Cuts the select to one series for the types of tiles that show only one. */
function selectThatFits(displayType: unknown, select: readonly Body[], index: number): readonly Body[] {
  if (displayType === "heatmap") return select;
  const items = select.map((item) => itemThatFits(item, index));
  return SINGLE.has(displayType) ? items.slice(0, 1) : items;
}

const SINGLE: ReadonlySet<unknown> = new Set(["number", "pie", "bar"]);

const LEVELS = [0.5, 0.9, 0.95, 0.99];

/** Sets `level`, which servers send as a number, for quantiles only, and removes the expression of `count`. */
function itemThatFits({ level, valueExpression: _value, ...item }: Body, index: number): Body {
  const quantile = level === undefined || item["aggFn"] !== "quantile" ? {} : { level: LEVELS[index % LEVELS.length] };
  return { ...item, ...quantile, ...(item["aggFn"] !== "count" && { valueExpression: "Duration" }) };
}

function clickThatFits(click: Body): Body {
  const target = click["target"] as Body | undefined;
  if (target?.["mode"] !== "id") return click;
  return { ...click, target: { ...target, id: click["type"] === "search" ? LOGS : LINKED } };
}

function alertThatFits(body: Body, index: number, webhooks: readonly Body[]): Body {
  const usable = webhooks.filter(({ service }) => ["slack", "generic", "incidentio"].includes(String(service)));
  const { channel, tileId: _t, dashboardId: _d, savedSearchId: _s, groupBy, thresholdMax, ...rest } = body;
  const onTile = rest["source"] !== "saved_search";
  const sent = (channel ?? { type: "email", emailRecipients: ["a@example.com"] }) as Body;
  const isEmail = sent["emailRecipients"] !== undefined;
  const fitting = isEmail
    ? { ...sent, type: "email" }
    : { ...sent, type: "webhook", webhookId: usable[index % usable.length]?.["id"] };
  const condition = { threshold: 1, thresholdType: "above", interval: "5m", source: "tile", ...rest };
  return {
    ...condition,
    channel: fitting,
    scheduleOffsetMinutes: index % 2 === 0 ? 0 : null,
    ...(index === 0 && { name: null }),
    ...(condition.thresholdType.includes("between")
      ? { thresholdMax: thresholdMax ?? 5 }
      : thresholdMax === undefined
        ? {}
        : { thresholdMax }),
    ...(onTile
      ? { dashboardId: WATCHED, tileId: WATCHED_TILE, savedSearchId: null, groupBy: null }
      : { savedSearchId: SEARCH, groupBy, dashboardId: null, tileId: null }),
  };
}

/** Returns the value of a member, or undefined if the shape decides it. */
export type Fixed = (member: string) => unknown;

/**
 * Returns values that together have every member, every branch of every union and every word of every enumeration, and null
 * and absence if the shape allows them.
 */
function valuesOf(shape: Shape, fixed: Fixed): unknown[] {
  if (shape.$ref !== undefined) return valuesOf(shapeNamed(shape.$ref), fixed);
  if (shape.anyOf !== undefined) return shape.anyOf.flatMap((branch) => valuesOf(branch, fixed));
  if (shape.const !== undefined) return [shape.const];
  if (shape.enum !== undefined) return [...shape.enum];
  if (shape.type === "object") return objectsOf(shape, fixed);
  if (shape.type === "array") return inGroups(valuesOf(shape.items ?? {}, fixed));
  return plainOf(shape);
}

/** Returns arrays of two values each. An array of all values would be repeated in each of the objects around it. */
function inGroups(items: readonly unknown[]): unknown[][] {
  return Array.from({ length: Math.ceil(items.length / 2) }, (_, index) => items.slice(index * 2, index * 2 + 2));
}

function plainOf({ type, format, minimum = 1 }: Shape): unknown[] {
  if (type === "null") return [null];
  if (type === "boolean") return [true, false];
  if (type === "integer" || type === "number") return [Math.max(minimum, 1)];
  if (format === "date-time") return ["2026-11-01T10:00:00.000Z"];
  return [format === "hostname" ? "db.example.com" : "text"];
}

/** Returns as many objects as the member with the most values needs, and one with only the required members. */
function objectsOf({ properties = {}, required = [], additionalProperties }: Shape, fixed: Fixed): unknown[] {
  if (typeof additionalProperties === "object") return [{ name: "text" }];
  const members = Object.entries(properties).map(([name, shape]) => {
    const value = fixed(name);
    return { name, values: value === undefined ? valuesOf(shape, fixed) : [value] };
  });
  const most = Math.max(1, ...members.map(({ values }) => values.length));
  const whole = Array.from({ length: most }, (_, index) =>
    Object.fromEntries(members.map(({ name, values }) => [name, values[index % values.length]])),
  );
  const least = Object.fromEntries(
    members.filter(({ name }) => required.includes(name)).map(({ name, values }) => [name, values[0]]),
  );
  return [...whole, least];
}
