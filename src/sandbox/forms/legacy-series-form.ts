import type { JsonObject } from "../record.ts";
import type { LegacySeries } from "../schema/tile.ts";
import type { TileConfig } from "../schema/tile-config.ts";
import { tileConfigSchema } from "../schema/tile-config.ts";

/** The configuration that a tile of the older `series` form stands for (recording 23). The first one sets the type. */
export function legacySeriesConfig(series: readonly LegacySeries[]): TileConfig {
  const [first] = series;
  if (first === undefined) throw new TypeError("a tile of the older form has at least one series");
  const groupBy = first.groupBy?.join(", ") ?? "";
  return tileConfigSchema.parse({
    displayType: first.type === "time" ? (first.displayType ?? "line") : first.type,
    sourceId: first.sourceId,
    ...(groupBy === "" ? {} : { groupBy }),
    select: series.map(selectItem),
  });
}

function selectItem({ aggFn, field, level, where, whereLanguage }: LegacySeries): JsonObject {
  return { valueExpression: field ?? "", aggFn, level, where, whereLanguage };
}
