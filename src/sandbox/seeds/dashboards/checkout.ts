import type { DashboardInput } from "../../schema/dashboard.ts";
import type { SeedIds } from "../seed-ids.ts";
import { count, quantile, tile } from "./tile.ts";

/** Latency of one service: a heatmap, and links back to the overview and into the log search. */
export function checkout({ sources: { logs, traces }, dashboards }: SeedIds): DashboardInput {
  return {
    name: "Checkout latency",
    tags: ["production", "team:checkout"],
    tiles: [
      tile("Latency", [0, 0, 12, 5], {
        displayType: "heatmap",
        sourceId: traces,
        select: [{ valueExpression: "Duration", countExpression: "count()", heatmapScaleType: "log" }],
        where: "ServiceName:checkout",
      }),
      tile("p50, p95, p99", [12, 0, 12, 5], {
        displayType: "line",
        sourceId: traces,
        select: [quantile("Duration", 0.5), quantile("Duration", 0.95), quantile("Duration", 0.99)],
      }),
      tile("Endpoints", [0, 5, 12, 4], {
        displayType: "table",
        sourceId: traces,
        select: [count],
        groupBy: "SpanName",
        onClick: {
          type: "search",
          target: { mode: "id", id: logs },
          whereTemplate: "SpanName:{{SpanName}}",
          whereLanguage: "lucene",
        },
      }),
      tile("Other services", [12, 5, 12, 4], {
        displayType: "table",
        sourceId: traces,
        select: [count],
        groupBy: "ServiceName",
        asRatio: false,
        onClick: { type: "dashboard", target: { mode: "id", id: dashboards.overview } },
      }),
      tile("Failed checkouts", [0, 9, 24, 4], {
        displayType: "search",
        sourceId: logs,
        select: "Timestamp, Body",
        where: "ServiceName:checkout SeverityText:error",
        whereLanguage: "lucene",
      }),
    ],
    savedQuery: "ServiceName:checkout",
    savedQueryLanguage: "lucene",
    savedFilterValues: [{ type: "sql", condition: "ServiceName IN ('checkout')" }],
  };
}
