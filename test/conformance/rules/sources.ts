import { logSource, metricSource, traceSource } from "../bodies.ts";
import type { JsonObject, Rule, Topic } from "../rule.ts";

const COLUMN = { aggFn: "count", mvColumn: "rows" };
const NEEDED = "Materialized View";

const setting = (members: JsonObject): JsonObject => ({
  querySettings: [{ setting: "max_threads", value: "4", ...members }],
});
const attribute = (sqlExpression: string): JsonObject => ({ highlightedRowAttributeExpressions: [{ sqlExpression }] });
const rollups = (members: JsonObject): JsonObject => ({
  metadataMaterializedViews: { keyRollupTable: "keys", kvRollupTable: "values", granularity: "15m", ...members },
});
const column = (members: JsonObject): JsonObject => view({ aggregatedColumns: [{ ...COLUMN, ...members }] });

/** Returns the members of a source with one view. */
function view(members: JsonObject): JsonObject {
  const place = { databaseName: "telemetry", tableName: "logs_1m", timestampColumn: "Timestamp" };
  const content = { dimensionColumns: "Service", minGranularity: "1m", aggregatedColumns: [COLUMN] };
  return { materializedViews: [{ ...place, ...content, ...members }] };
}

function refused(rule: string, members: JsonObject, path: string, message: string): Rule {
  return { rule, body: logSource(members), refused: `Body validation failed: ${path}: ${message}` };
}

/** Returns the rule for a source in which this expression is empty. */
function empty(body: JsonObject, member: string, what: string): Rule {
  const refused = `Body validation failed: ${member}: ${what} is required`;
  return { rule: `an empty ${member} of ${String(body["kind"])}`, body: { ...body, [member]: "" }, refused };
}

const AGGREGATES = "avg count count_distinct last_value max min quantile sum any none histogram".split(" ");
const ONE_OF = AGGREGATES.map((word) => `'${word}'`).join(" | ");
const AT_LEAST_ONE = "String must contain at least 1 character(s)";

/**
 * Rules for sources of which there is no recording: a real server of the recorded release accepted and refused these forms, and its
 * public sources have the sentences.
 */
export const sources: Topic = {
  topic: "sources",
  request: "POST sources",
  only: "self-hosted",
  rules: [
    { rule: "a view whose first date is null", body: logSource(view({ minDate: null })) },
    refused("a setting without a name", setting({ setting: "" }), "querySettings.0.setting", AT_LEAST_ONE),
    refused("a setting without a value", setting({ value: "" }), "querySettings.0.value", AT_LEAST_ONE),
    refused("an empty connection", { connection: "" }, "connection", "Server Connection is required"),
    refused(
      "an empty database",
      { from: { databaseName: "", tableName: "logs" } },
      "from.databaseName",
      "Database is required",
    ),
    empty(logSource(), "timestampValueExpression", "Timestamp Column"),
    empty(logSource(), "defaultTableSelectExpression", "Default Select Expression"),
    empty(traceSource(), "durationExpression", "Duration Expression"),
    empty(traceSource(), "traceIdExpression", "Trace ID Expression"),
    empty(traceSource(), "spanIdExpression", "Span ID Expression"),
    empty(traceSource(), "parentSpanIdExpression", "Parent span ID expression"),
    empty(traceSource(), "spanNameExpression", "Span Name Expression"),
    empty(traceSource(), "spanKindExpression", "Span Kind Expression"),
    empty(metricSource(), "resourceAttributesExpression", "Resource Attributes"),
    refused(
      "an empty highlighted attribute",
      attribute(""),
      "highlightedRowAttributeExpressions.0.sqlExpression",
      "Attribute SQL Expression is required",
    ),
    refused(
      "a view without a database",
      view({ databaseName: "" }),
      "materializedViews.0.databaseName",
      `${NEEDED} Database is required`,
    ),
    refused(
      "a view without a table",
      view({ tableName: "" }),
      "materializedViews.0.tableName",
      `${NEEDED} Table is required`,
    ),
    refused(
      "a view without a time column",
      view({ timestampColumn: "" }),
      "materializedViews.0.timestampColumn",
      `${NEEDED} Timestamp column is required`,
    ),
    refused(
      "a view without columns",
      view({ aggregatedColumns: [] }),
      "materializedViews.0.aggregatedColumns",
      "At least one aggregated column is required",
    ),
    refused(
      "a column of a view without a name",
      column({ mvColumn: "" }),
      "materializedViews.0.aggregatedColumns.0.mvColumn",
      `${NEEDED} Column is required`,
    ),
    refused(
      "a sum in a view without its column",
      column({ aggFn: "sum" }),
      "materializedViews.0.aggregatedColumns.0",
      `${NEEDED} Source Column is required`,
    ),
    refused(
      "an unknown aggregate of a view",
      column({ aggFn: "entropy" }),
      "materializedViews.0.aggregatedColumns.0.aggFn",
      `Invalid enum value. Expected ${ONE_OF}, received 'entropy'`,
    ),
    refused(
      "a rollup without its table of values",
      rollups({ kvRollupTable: "" }),
      "metadataMaterializedViews.kvRollupTable",
      "KV rollup table name is required",
    ),
  ],
};
