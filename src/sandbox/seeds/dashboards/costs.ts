import type { DashboardInput } from "../../schema/dashboard.ts";
import type { SeedIds } from "../seed-ids.ts";
import { tile } from "./tile.ts";

const PER_INTERVAL = [
  "SELECT toStartOfInterval(Timestamp, INTERVAL {intervalSeconds:Int64} second) AS ts, sum(length(Body)) AS bytes",
  "FROM default.otel_logs",
  "WHERE Timestamp >= fromUnixTimestamp64Milli({startDateMilliseconds:Int64})",
  "AND Timestamp < fromUnixTimestamp64Milli({endDateMilliseconds:Int64})",
  "GROUP BY ts ORDER BY ts",
].join(" ");

/** Queries written by hand over both connections, and a name outside ASCII. */
export function costs({ sources: { logs }, connections: { primary, archive } }: SeedIds): DashboardInput {
  const query = (connectionId: string, sqlTemplate: string) => ({
    configType: "sql" as const,
    connectionId,
    sqlTemplate,
  });
  return {
    name: "Kosten – Übersicht 漢字 🎉",
    tags: ["finance", "größe"],
    tiles: [
      tile("Bytes über die Zeit", [0, 0, 12, 4], {
        ...query(primary, PER_INTERVAL),
        displayType: "line",
        sourceId: logs,
      }),
      tile("Größte Dienste", [12, 0, 12, 4], {
        ...query(
          primary,
          "SELECT ServiceName, count() AS n FROM default.otel_logs GROUP BY ServiceName ORDER BY n DESC",
        ),
        displayType: "table",
      }),
      tile("Archiv insgesamt", [0, 4, 12, 3], {
        ...query(archive, "SELECT count() FROM default.audit_events"),
        displayType: "number",
      }),
      tile("費用 💶", [12, 4, 12, 3], {
        displayType: "markdown",
        markdown: "**Stand:** monatlich. Zahlen ohne Gewähr – 数字仅供参考 ✅",
      }),
    ],
  };
}
