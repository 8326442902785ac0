import type { JsonValue } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import { textOf } from "../record-schema.ts";

/** The column that every metric of an accepted write names, and that the server itself writes for charts of the older form. */
const METRIC_VALUE = "Value";

/** What computes a metric of no column, as the web interface stores it: answers show it, and every write refuses it (docs/api.md#dashboard-members). */
export function withMetricValue(item: JsonValue): { readonly value: JsonValue; readonly change: string } | undefined {
  if (!isJsonObject(item) || textOf(item, "metricName") === "") return undefined;
  const { aggFn, valueExpression = "" } = item;
  if (aggFn === undefined || aggFn === "count" || valueExpression !== "") return undefined;
  return { value: { ...item, valueExpression: METRIC_VALUE }, change: `the column ${METRIC_VALUE} instead of none` };
}
