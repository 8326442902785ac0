import type { DashboardInput } from "../../schema/dashboard.ts";
import type { SeedIds } from "../seed-ids.ts";
import { count, quantile, tile } from "./tile.ts";

/** Service level objectives: numbers with colours, a ratio. */
export function objectives({ sources: { traces } }: SeedIds): DashboardInput {
  return {
    name: "Service level objectives",
    tags: ["production", "slo"],
    tiles: [
      tile("p95 of all requests", [0, 0, 6, 3], {
        displayType: "number",
        sourceId: traces,
        select: [quantile("Duration", 0.95)],
        colorRules: [
          { operator: "gt", value: 500, color: "chart-red" },
          { operator: "lte", value: 500, color: "chart-green" },
        ],
      }),
      tile("Share of errors", [6, 0, 18, 3], {
        displayType: "line",
        sourceId: traces,
        asRatio: true,
        select: [
          { ...count, where: "StatusCode:Error", alias: "errors" },
          { ...count, alias: "all" },
        ],
      }),
    ],
    savedQuery: "SpanKind = 'Server'",
    savedQueryLanguage: "sql",
  };
}
