import type { Manifest } from "../../src/core/manifest.ts";
import type { StackRecord } from "../../src/core/records/record.ts";
import { manifestOf } from "./archive-samples.ts";

const TYPES = [
  "line",
  "stacked_bar",
  "number",
  "table",
  "pie",
  "bar",
  "heatmap",
  "markdown",
  "search",
  "event_patterns",
];
const SOURCES = 12;

/** Makes that many dashboards of twelve tiles, with an alert on each, and a dozen sources. */
export function largeArchive(dashboards: number): {
  readonly manifest: Manifest;
  readonly records: readonly StackRecord[];
} {
  const sources = Array.from({ length: SOURCES }, (_, index) =>
    record("sources", 0xf0_00_00 + index, `Source ${index}`, {
      kind: "log",
      from: { databaseName: "default", tableName: `logs_${index}` },
      traceSourceId: hex(0xf0_00_00 + ((index + 1) % SOURCES)),
    }),
  );
  const rest = Array.from({ length: dashboards }, (_, index) => [dashboard(index), alert(index)]).flat();
  const records = [...sources, ...rest];
  return { manifest: manifestOf(records), records };
}

function dashboard(index: number): StackRecord {
  const tiles = Array.from({ length: 12 }, (_, position) => ({
    id: hex(index * 100 + position),
    name: `Tile ${position} of ${index}`,
    x: (position % 4) * 6,
    y: Math.floor(position / 4) * 4,
    w: 6,
    h: 4,
    config: {
      displayType: TYPES[position % TYPES.length] ?? "line",
      sourceId: hex(0xf0_00_00 + (position % SOURCES)),
      select: [{ aggFn: "count", valueExpression: "", where: "ServiceName:checkout SeverityText:error" }],
      groupBy: "ServiceName",
    },
  }));
  return record("dashboards", index * 100 + 50, `Dashboard ${index}`, {
    tags: ["production", `team-${index % 37}`],
    tiles,
  });
}

function alert(index: number): StackRecord {
  return record("alerts", index * 100 + 60, `Alert ${index}`, {
    dashboardId: hex(index * 100 + 50),
    tileId: hex(index * 100 + 3),
    threshold: index,
    thresholdType: "above",
    interval: "5m",
    channel: { type: "webhook", webhookId: hex(1) },
  });
}

function record(kind: string, number: number, name: string, body: StackRecord["body"]): StackRecord {
  return { kind, id: hex(number), name, body: { ...body, id: hex(number), name } };
}

function hex(number: number): string {
  return `6b${number.toString(16).padStart(22, "0")}`;
}
