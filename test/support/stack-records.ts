import type { JsonObject } from "../../src/core/json.ts";
import type { StackRecord, Variant } from "../../src/core/records/record.ts";

/** Returns an id of 24 hex digits, made of a letter and a number so that it is readable. */
export function hexId(letter: "a" | "b" | "c" | "d" | "e", number: number): string {
  return letter.repeat(20) + number.toString(16).padStart(4, "0");
}

/** The ids of the source and the webhook that the archive's dashboards and alerts need in most tests. */
export const archiveIds = { source: hexId("a", 1), webhook: hexId("a", 2) } as const;

/** The ids of their counterparts on the target. */
export const targetIds = { source: hexId("b", 1), webhook: hexId("b", 2) } as const;

/** Makes a dashboard with a line tile on a source, as a stack lists it. */
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

/** Makes a tile of the usual size. */
export function tileWith(id: string, name: string, config: JsonObject, more: JsonObject = {}): JsonObject {
  return { id, name, x: 0, y: 0, w: 6, h: 3, config, ...more };
}

/** Makes the configuration of a table that links to a dashboard. */
export function linkingTable(dashboardId: string, sourceId = ""): JsonObject {
  const onClick = { type: "dashboard", target: { mode: "id", id: dashboardId } };
  return { displayType: "table", sourceId, onClick };
}

/** Makes the configuration of a heatmap of a source. */
export function heatmap(sourceId: string, valueExpression = "Duration"): JsonObject {
  return { displayType: "heatmap", sourceId, select: [{ valueExpression }], where: "", whereLanguage: "lucene" };
}

/** Makes the configuration of a raw SQL tile on a connection. */
export function rawSql(connectionId: string, sqlTemplate = "SELECT 1", displayType = "table"): JsonObject {
  return { configType: "sql", displayType, connectionId, sqlTemplate };
}

/** Makes a dashboard with a raw SQL tile on a connection. */
export function sqlDashboard(id: string, connectionId: string): JsonObject {
  return dashboard(id, "SQL", "", { tiles: [{ id: hexId("d", 1), name: "SQL", config: rawSql(connectionId) }] });
}

/** Returns the id of the tile that `dashboard` makes. */
export function tileOf(body: JsonObject): string {
  const tiles = body["tiles"] as readonly { id: string }[];
  return tiles[0]?.id ?? "";
}

/** Makes an alert on the tile of a dashboard, as a stack lists it. */
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

/** Makes a log source on a connection. */
export function source(id: string, name: string, connection: string, table = "otel_logs"): JsonObject {
  const from = { databaseName: "default", tableName: table };
  return { id, name, kind: "log", connection, from, ...EXPRESSIONS };
}

/** The creation time of the records. */
const AT = "2026-11-01T10:00:00.000Z";

/** Makes a webhook. */
export function webhook(id: string, name: string, service = "generic"): JsonObject {
  return { id, name, service, url: "https://hooks.example.com/in/1", createdAt: AT, updatedAt: AT };
}

/** Returns the records of a stack as the variant returns them: on managed stacks, an alert has one channel. */
export function asListedBy<Seed extends { readonly alerts?: readonly JsonObject[] }>(
  variant: Variant,
  seed: Seed,
): Seed {
  const { alerts } = seed;
  if (variant === "self-hosted" || alerts === undefined) return seed;
  return { ...seed, alerts: alerts.map(({ channels: _channels, ...shown }) => shown) };
}

/** Makes archive records of bodies. */
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
