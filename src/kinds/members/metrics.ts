import type { JsonObject } from "../../core/json.ts";
import { isJsonArray, isJsonObject } from "../../core/json.ts";
import type { QueriedMetric } from "../../core/resource-kind.ts";
import { textOf } from "../record-schema.ts";

/** The types of metrics that a chart query takes. */
const QUERIED_TYPES: readonly string[] = ["gauge", "sum", "histogram"];

/** The metrics that a dashboard's tiles query. */
export function metricsIn({ tiles }: JsonObject): QueriedMetric[] {
  if (!isJsonArray(tiles)) return [];
  return tiles.filter(isJsonObject).flatMap(({ config }) => {
    if (config === undefined || !isJsonObject(config) || !isJsonArray(config["select"])) return [];
    const sourceId = textOf(config, "sourceId");
    return config["select"].filter(isJsonObject).flatMap((item) => {
      const [metricName, metricDataType] = [textOf(item, "metricName"), textOf(item, "metricType")];
      return metricName !== "" && QUERIED_TYPES.includes(metricDataType)
        ? [{ sourceId, metricName, metricDataType }]
        : [];
    });
  });
}
