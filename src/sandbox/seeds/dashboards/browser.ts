import type { DashboardInput } from "../../schema/dashboard.ts";
import type { SeedIds } from "../seed-ids.ts";
import { count, tile } from "./tile.ts";

/** Browser sessions; its table links to the dashboard it stands on. */
export function browser({ sources: { sessions, traces }, dashboards }: SeedIds): DashboardInput {
  return {
    name: "Browser sessions",
    tags: ["frontend"],
    tiles: [
      tile("Sessions", [0, 0, 12, 4], { displayType: "line", sourceId: sessions, select: [count], fillNulls: false }),
      tile("By page", [12, 0, 12, 4], {
        displayType: "table",
        sourceId: sessions,
        select: [count],
        groupBy: "page",
        onClick: {
          type: "dashboard",
          target: { mode: "id", id: dashboards.browser },
          whereTemplate: "page:{{page}}",
          whereLanguage: "lucene",
        },
      }),
      tile("Slow requests", [0, 4, 24, 4], {
        displayType: "search",
        sourceId: traces,
        select: "Timestamp, SpanName, Duration",
        where: "Duration:>1000000000",
      }),
    ],
  };
}
