import type { DashboardInput } from "../../schema/dashboard.ts";
import type { SeedIds } from "../seed-ids.ts";
import { tile } from "./tile.ts";

/** The remaining chart types as hand-written queries. */
export function database({ connections: { primary } }: SeedIds): DashboardInput {
  const query = (sqlTemplate: string) => ({ configType: "sql" as const, connectionId: primary, sqlTemplate });
  return {
    name: "Database health",
    tags: ["infrastructure", "team:platform"],
    tiles: [
      tile("Inserts", [0, 0, 12, 4], {
        ...query("SELECT event_time AS ts, count() FROM system.part_log GROUP BY ts ORDER BY ts"),
        displayType: "stacked_bar",
        fillNulls: false,
      }),
      tile("Bytes per table", [12, 0, 6, 4], {
        ...query("SELECT table, sum(bytes_on_disk) FROM system.parts GROUP BY table"),
        displayType: "pie",
      }),
      tile("Parts per table", [18, 0, 6, 4], {
        ...query("SELECT table, count() FROM system.parts WHERE active GROUP BY table"),
        displayType: "bar",
      }),
    ],
  };
}
