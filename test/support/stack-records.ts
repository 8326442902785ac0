import type { JsonObject } from "../../src/core/json.ts";
import type { StackRecord, Variant } from "../../src/core/records/record.ts";

/** A 24-hex id made of a letter and a number, so that tests can read it. */
export function hexId(letter: "a" | "b" | "c" | "d" | "e", number: number): string {
  return letter.repeat(20) + number.toString(16).padStart(4, "0");
}

/** A dashboard with a line tile on a source, as a stack would list it. */
export function dashboard(id: string, name: string, sourceId: string, more: JsonObject = {}): JsonObject {
  const select = [{ aggFn: "count", whereLanguage: "lucene" }];
  const config = { displayType: "line", sourceId, fillNulls: true, select };
  return {
    id,
    name,
    tiles: [tileWith(`${id.slice(0, 20)}f001`, "Requests", config)],
    tags: [],
    filters: [],
    ...more,
  };
}

/** A tile of the usual size. */
export function tileWith(id: string, name: string, config: JsonObject, more: JsonObject = {}): JsonObject {
  return { id, name, x: 0, y: 0, w: 6, h: 3, config, ...more };
}

/** The configuration of a table of a source that opens a dashboard. */
export function linkingTable(dashboardId: string, sourceId = ""): JsonObject {
  const onClick = { type: "dashboard", target: { mode: "id", id: dashboardId } };
  return { displayType: "table", sourceId, onClick };
}

/** The configuration of a heatmap of a source. */
export function heatmap(sourceId: string, valueExpression = "Duration"): JsonObject {
  return { displayType: "heatmap", sourceId, select: [{ valueExpression }], where: "", whereLanguage: "lucene" };
}

/** The configuration of a tile of raw SQL on a connection. */
export function rawSql(connectionId: string, sqlTemplate = "SELECT 1", displayType = "table"): JsonObject {
  return { configType: "sql", displayType, connectionId, sqlTemplate };
}

/** A dashboard with a tile of raw SQL on a connection. */
export function sqlDashboard(id: string, connectionId: string): JsonObject {
  return dashboard(id, "SQL", "", { tiles: [{ id: hexId("d", 1), name: "SQL", config: rawSql(connectionId) }] });
}

/** The id of the tile of `dashboard`. */
export function tileOf(body: JsonObject): string {
  const tiles = body["tiles"] as readonly { id: string }[];
  return tiles[0]?.id ?? "";
}

/** An alert on the tile of a dashboard, as a stack would list it. */
export function alert(
  id: string,
  name: string | null,
  on: JsonObject,
  webhookId: string,
  more: JsonObject = {},
): JsonObject {
  const channel = { type: "webhook", webhookId };
  const bound = { source: "tile", dashboardId: on["id"] ?? null, tileId: tileOf(on) };
  return {
    id,
    name,
    ...bound,
    threshold: 10,
    thresholdType: "above",
    interval: "5m",
    channel,
    channels: [channel],
    state: "OK",
    ...more,
  };
}

/** Members of every log source. */
const EXPRESSIONS = { defaultTableSelectExpression: "Timestamp, Body", timestampValueExpression: "Timestamp" };

/** A log source on a connection. */
export function source(id: string, name: string, connection: string, table = "otel_logs"): JsonObject {
  const from = { databaseName: "default", tableName: table };
  return { id, name, kind: "log", connection, from, ...EXPRESSIONS };
}

/** When the records of these stacks were made. */
const AT = "2026-11-01T10:00:00.000Z";

/** A webhook. */
export function webhook(id: string, name: string, service = "generic"): JsonObject {
  return { id, name, service, url: "https://hooks.example.com/in/1", createdAt: AT, updatedAt: AT };
}

/** The records of a stack as the variant shows them: on managed an alert has one channel. */
export function asListedBy<Seed extends { readonly alerts?: readonly JsonObject[] }>(
  variant: Variant,
  seed: Seed,
): Seed {
  const { alerts } = seed;
  if (variant === "self-hosted" || alerts === undefined) return seed;
  return { ...seed, alerts: alerts.map(({ channels: _channels, ...shown }) => shown) };
}

/** Bodies as archive records. */
export function records(byKind: Readonly<Record<string, readonly JsonObject[]>>): StackRecord[] {
  return Object.entries(byKind).flatMap(([kind, bodies]) =>
    bodies.map((body) => ({
      kind,
      id: String(body["id"]),
      name: typeof body["name"] === "string" ? body["name"] : "",
      body,
    })),
  );
}
