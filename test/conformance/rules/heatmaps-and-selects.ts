import { COUNT, boardOf, chart, heatmap, line, table } from "../bodies.ts";
import type { Topic } from "../rule.ts";
import { ABSENT } from "../rule.ts";

/** What a chart may select. */
export const heatmapsAndSelects: Topic = {
  topic: "heatmaps-and-selects",
  request: "POST dashboards",
  rules: [
    {
      rule: "heatmap with no select item",
      recorded: [1035],
      body: boardOf(chart("heatmap", { sourceId: "@trace", select: [] })),
      refused: "Body validation failed: tiles.0.config.select: Array must contain exactly 1 element(s)",
    },
    {
      rule: "heatmap with two select items",
      only: "self-hosted",
      recorded: [1036],
      body: boardOf(
        chart("heatmap", {
          sourceId: "@trace",
          select: [{ valueExpression: "Duration" }, { valueExpression: "Size" }],
        }),
      ),
      refused: "Body validation failed: tiles.0.config.select: Array must contain exactly 1 element(s)",
    },
    {
      rule: 'heatmap with valueExpression ""',
      only: "self-hosted",
      recorded: [1037],
      body: boardOf(heatmap({ valueExpression: "" })),
      refused:
        "Body validation failed: tiles.0.config.select.0.valueExpression: String must contain at least 1 character(s)",
    },
    {
      rule: "heatmap with an unknown scale",
      recorded: [1038],
      body: boardOf(heatmap({ heatmapScaleType: "sqrt" })),
      refused:
        "Body validation failed: tiles.0.config.select.0.heatmapScaleType: Invalid enum value. Expected 'log' | 'linear', received 'sqrt'",
    },
    {
      rule: "heatmap on a log source",
      recorded: [1039],
      body: boardOf(chart("heatmap", { select: [{ valueExpression: "Duration" }] })),
      refused: "Heatmap tiles require a Trace source. The following source IDs are not Trace sources: @log",
    },
    {
      rule: "heatmap with groupBy, aggFn, alias",
      recorded: [1040],
      body: boardOf(heatmap({ aggFn: "count", alias: "x" }, { groupBy: "Service" })),
      members: {
        "tiles.0.config.select.0.aggFn": ABSENT,
        "tiles.0.config.select.0.alias": ABSENT,
        "tiles.0.config.groupBy": ABSENT,
      },
    },
    {
      rule: "pie with two select items",
      only: "self-hosted",
      recorded: [1041],
      body: boardOf(chart("pie", { select: [COUNT, COUNT] })),
      refused: "Body validation failed: tiles.0.config.select: Array must contain exactly 1 element(s)",
    },
    {
      rule: "line with 21 select items",
      only: "self-hosted",
      recorded: [1042],
      body: boardOf(
        line({
          select: [
            COUNT,
            COUNT,
            COUNT,
            COUNT,
            COUNT,
            COUNT,
            COUNT,
            COUNT,
            COUNT,
            COUNT,
            COUNT,
            COUNT,
            COUNT,
            COUNT,
            COUNT,
            COUNT,
            COUNT,
            COUNT,
            COUNT,
            COUNT,
            COUNT,
          ],
        }),
      ),
      refused: "Body validation failed: tiles.0.config.select: Array must contain at most 20 element(s)",
    },
    {
      rule: "count with a valueExpression",
      recorded: [1043],
      body: boardOf(line({ select: [{ aggFn: "count", valueExpression: "x" }] })),
      refused:
        "Body validation failed: tiles.0.config.select.0: Value expression cannot be used with count aggregation function",
    },
    {
      rule: "quantile at level 0.75",
      only: "self-hosted",
      recorded: [1044],
      body: boardOf(line({ select: [{ aggFn: "quantile", level: 0.75, valueExpression: "Duration" }] })),
      refused: "Body validation failed: tiles.0.config.select.0.level: Invalid input",
    },
    {
      rule: "level on avg",
      only: "self-hosted",
      recorded: [1045],
      body: boardOf(line({ select: [{ aggFn: "avg", level: 0.5, valueExpression: "Duration" }] })),
      refused:
        "Body validation failed: tiles.0.config.select.0: Level can only be used with quantile aggregation function",
    },
    {
      rule: "whereLanguage promql in a select item",
      only: "self-hosted",
      recorded: [1500],
      body: boardOf(line({ select: [{ aggFn: "count", where: "x", whereLanguage: "promql" }] })),
    },
    {
      rule: "whereLanguage promql in a search tile",
      only: "self-hosted",
      recorded: [1501],
      body: boardOf(chart("search", { select: "Body", where: "x", whereLanguage: "promql" })),
    },
    {
      rule: "whereLanguage promql in a heatmap, in event patterns and in a link",
      recorded: [],
      body: boardOf(
        heatmap({}, { where: "x", whereLanguage: "promql" }),
        chart("event_patterns", { select: "Body", where: "x", whereLanguage: "promql" }),
        table({ onClick: { type: "search", target: { mode: "id", id: "@log" }, whereLanguage: "promql" } }),
      ),
      refused: `Body validation failed: ${["tiles.0.config", "tiles.1.config", "tiles.2.config.onClick"]
        .map((place) => `${place}.whereLanguage: Invalid enum value. Expected 'sql' | 'lucene', received 'promql'`)
        .join("; ")}`,
    },
    {
      rule: "whereLanguage null in a select item",
      recorded: [1504],
      body: boardOf(line({ select: [{ aggFn: "count", whereLanguage: null }] })),
      refused:
        "Body validation failed: tiles.0.config.select.0.whereLanguage: Expected 'sql' | 'lucene' | 'promql', received null",
    },
  ],
};
