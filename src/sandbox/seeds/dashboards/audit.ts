import type { DashboardInput } from "../../schema/dashboard.ts";
import type { SeedIds } from "../seed-ids.ts";
import { count, tile } from "./tile.ts";

/** The second log source, on the second connection. */
export function audit({ sources: { audit, logs } }: SeedIds): DashboardInput {
  return {
    name: "Audit trail",
    tiles: [
      tile("Changes", [0, 0, 24, 4], {
        displayType: "stacked_bar",
        sourceId: audit,
        select: [count],
        groupBy: "action",
      }),
      tile("Latest", [0, 4, 12, 5], { displayType: "search", sourceId: audit, select: "Timestamp, actor, Body" }),
      tile("Patterns", [12, 4, 12, 5], {
        displayType: "event_patterns",
        sourceId: audit,
        select: "Body",
        where: "action != 'read'",
        whereLanguage: "sql",
      }),
    ],
    filters: [
      { type: "QUERY_EXPRESSION", name: "Actor", expression: "actor", sourceId: audit, appliesToSourceIds: [audit] },
      {
        type: "QUERY_EXPRESSION",
        name: "Environment",
        expression: "ResourceAttributes['env']",
        sourceId: logs,
        whereLanguage: "sql",
        isVariableEnabled: false,
        appliesToSourceIds: [audit, logs],
      },
    ],
  };
}
