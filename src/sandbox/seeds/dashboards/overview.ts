import type { DashboardInput } from "../../schema/dashboard.ts";
import type { SeedIds } from "../seed-ids.ts";
import { count, quantile, tile } from "./tile.ts";

/** The page people start from: the common charts, a filter over two sources, a link to the checkout's dashboard. */
export function overview({ sources: { logs, traces }, dashboards }: SeedIds): DashboardInput {
  return {
    name: "Service overview",
    tags: ["production", "team:platform"],
    tiles: [
      tile("Requests", [0, 0, 12, 4], {
        displayType: "line",
        sourceId: traces,
        select: [{ ...count, where: "SpanKind:Server", whereLanguage: "lucene", alias: "requests" }],
        groupBy: "ServiceName",
        seriesLimit: 10,
        compareToPreviousPeriod: true,
        numberFormat: { output: "number", mantissa: 0 },
      }),
      tile("Logs by level", [12, 0, 12, 4], {
        displayType: "stacked_bar",
        sourceId: logs,
        select: [count],
        groupBy: "SeverityText",
      }),
      tile("Errors", [0, 4, 6, 3], {
        displayType: "number",
        sourceId: logs,
        select: [{ ...count, where: "SeverityText = 'error'", whereLanguage: "sql" }],
        color: "chart-red",
        colorRules: [{ operator: "gt", value: 10, color: "chart-red" }],
      }),
      tile("Slowest services", [6, 4, 6, 3], {
        displayType: "table",
        sourceId: traces,
        select: [quantile("Duration", 0.95), count],
        groupBy: "ServiceName",
        orderBy: '"count()" DESC',
        having: "count() > 1",
        onClick: {
          type: "dashboard",
          target: { mode: "id", id: dashboards.checkout },
          whereTemplate: "ServiceName:{{ServiceName}}",
          whereLanguage: "lucene",
        },
      }),
      tile("Share of traffic", [12, 4, 6, 3], {
        displayType: "pie",
        sourceId: traces,
        select: [count],
        groupBy: "ServiceName",
        limit: 5,
      }),
      tile("Log volume", [18, 4, 6, 3], {
        displayType: "bar",
        sourceId: logs,
        select: [count],
        groupBy: "ServiceName",
      }),
    ],
    filters: [
      {
        type: "QUERY_EXPRESSION",
        name: "Service",
        expression: "ServiceName",
        sourceId: traces,
        where: "",
        whereLanguage: "sql",
        appliesToSourceIds: [traces, logs],
      },
    ],
  };
}
