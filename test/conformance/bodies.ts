import type { Json, JsonObject } from "./rule.ts";

// Bodies of requests with only the members that a rule needs. A text such as `@log` stands for the id of the record with that
// name.

export const COUNT = { aggFn: "count" };
/** A query that an alert accepts, because it groups by an interval. */
export const SQL_PER_INTERVAL =
  "SELECT toStartOfInterval(t, INTERVAL {intervalSeconds:Int64} second) AS ts, count() FROM logs GROUP BY ts";
export const NOTHING = "000000000000000000000000";

export const hook = (number: number): JsonObject => ({ type: "webhook", webhookId: `@hook${number}` });

/** Returns a dashboard with one number tile. */
export function board(members: JsonObject = {}): JsonObject {
  return { name: "Conformance", tiles: [tile(numberOf())], ...members };
}

/** Returns a dashboard of tiles with these configurations, one below the other. */
export function boardOf(...configs: readonly JsonObject[]): JsonObject {
  return board({ tiles: configs.map((config, index) => tile(config, { y: index * 3 })) });
}

export function tile(config: JsonObject, members: JsonObject = {}): JsonObject {
  return { name: "Tile", x: 0, y: 0, w: 6, h: 3, config, ...members };
}

/** Returns the configuration of a chart that counts log lines. */
export function chart(displayType: string, members: JsonObject = {}): JsonObject {
  return { displayType, sourceId: "@log", select: [COUNT], ...members };
}

export const numberOf = (members: JsonObject = {}): JsonObject => chart("number", members);
export const line = (members: JsonObject = {}): JsonObject => chart("line", members);
export const table = (members: JsonObject = {}): JsonObject => chart("table", { groupBy: "Service", ...members });
export const markdown = (text = "Notes"): JsonObject => ({ displayType: "markdown", markdown: text });

export function heatmap(item: JsonObject = {}, members: JsonObject = {}): JsonObject {
  return { displayType: "heatmap", sourceId: "@trace", select: [{ valueExpression: "Duration", ...item }], ...members };
}

export function rawSql(displayType: string, sqlTemplate = "SELECT 1", members: JsonObject = {}): JsonObject {
  return { configType: "sql", displayType, connectionId: "@connection", sqlTemplate, ...members };
}

export function filter(members: JsonObject = {}): JsonObject {
  const base = { type: "QUERY_EXPRESSION", name: "Service", expression: "Service", sourceId: "@log" };
  return { ...base, whereLanguage: "sql", ...members };
}

export function container(members: JsonObject = {}): JsonObject {
  return { id: "group-a", title: "Checkout", collapsed: false, ...members };
}

export const tabs = (count: number): JsonObject[] =>
  times(count, (index) => ({ id: `tab-${index}`, title: `Tab ${index}` }));

/** Returns an alert on the tile of the dashboard in world.ts. */
export function alert(members: JsonObject = {}): JsonObject {
  const place = { source: "tile", dashboardId: "@board", tileId: "@board.tiles.0.id" };
  const condition = { threshold: 5, thresholdType: "above", interval: "15m" };
  return { name: "Conformance", ...place, ...condition, channel: hook(0), ...members };
}

/** Returns an alert on the saved search in world.ts. */
export function searchAlert(members: JsonObject = {}): JsonObject {
  return without(alert({ source: "saved_search", savedSearchId: "@search", ...members }), "dashboardId", "tileId");
}

export function webhook(members: JsonObject = {}): JsonObject {
  return { name: "Conformance probe", service: "generic", url: "https://hooks.example.com/probe", ...members };
}

export function connection(members: JsonObject = {}): JsonObject {
  return { name: "Conformance store", host: "http://store.example.com:8123", username: "reader", ...members };
}

export function savedSearch(members: JsonObject = {}): JsonObject {
  return { name: "Conformance", sourceId: "@log", ...members };
}

export function logSource(members: JsonObject = {}): JsonObject {
  return {
    kind: "log",
    name: "Conformance logs",
    connection: "@connection",
    from: { databaseName: "telemetry", tableName: "logs" },
    timestampValueExpression: "Timestamp",
    defaultTableSelectExpression: "Timestamp, Body",
    ...members,
  };
}

export function traceSource(members: JsonObject = {}): JsonObject {
  return {
    ...logSource({ kind: "trace", name: "Conformance traces" }),
    from: { databaseName: "telemetry", tableName: "spans" },
    durationExpression: "Duration",
    traceIdExpression: "TraceId",
    spanIdExpression: "SpanId",
    parentSpanIdExpression: "ParentSpanId",
    spanNameExpression: "SpanName",
    spanKindExpression: "SpanKind",
    ...members,
  };
}

export function metricSource(members: JsonObject = {}): JsonObject {
  return {
    kind: "metric",
    name: "Conformance metrics",
    connection: "@connection",
    from: { databaseName: "telemetry", tableName: "" },
    timestampValueExpression: "Time",
    metricTables: { gauge: "gauges" },
    resourceAttributesExpression: "Attributes",
    ...members,
  };
}

export function sessionSource(members: JsonObject = {}): JsonObject {
  return {
    kind: "session",
    name: "Conformance sessions",
    connection: "@connection",
    from: { databaseName: "telemetry", tableName: "sessions" },
    timestampValueExpression: "Time",
    traceSourceId: "@trace",
    ...members,
  };
}

export function without(body: JsonObject, ...members: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([member]) => !members.includes(member)));
}

export function times<T extends Json>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

export function yearsFromNow(years: number): string {
  const date = new Date();
  date.setUTCFullYear(date.getUTCFullYear() + years);
  return date.toISOString();
}
