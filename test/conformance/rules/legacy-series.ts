import { NOTHING, board, tile, series, seriesTile, markdown, times } from "../bodies.ts";
import type { Json, Rule, Topic } from "../rule.ts";
import { ABSENT } from "../rule.ts";

const COUNTED = { valueExpression: "", aggFn: "count", where: "Severity:error", whereLanguage: "lucene" };
const LINE = { displayType: "line", sourceId: "@log", asRatio: false, fillNulls: true };

/** The tile has this configuration in the place of its series. */
const converted = (config: Json): Rule["members"] => ({ "tiles.0.series": ABSENT, "tiles.0.config": config });

/** Tiles of the older form. */
export const legacySeries: Topic = {
  topic: "legacy-series",
  request: "POST dashboards",
  rules: [
    {
      rule: "time, two series",
      recorded: [1065],
      body: board({
        tiles: [
          seriesTile([
            series("time", {
              groupBy: ["Service", "Region"],
              alias: "errors",
              numberFormat: { output: "byte", mantissa: 1 },
            }),
            series("time", { aggFn: "avg", field: "Duration", groupBy: ["Other"] }),
          ]),
        ],
      }),
      members: converted({
        ...LINE,
        groupBy: "Service,Region",
        select: [
          { ...COUNTED, alias: "errors" },
          { ...COUNTED, valueExpression: "Duration", aggFn: "avg" },
        ],
        numberFormat: { output: "byte", mantissa: 1 },
      }),
    },
    {
      rule: "time as stacked bar",
      recorded: [1066],
      body: board({ tiles: [seriesTile([series("time", { groupBy: [], displayType: "stacked_bar" })])] }),
      members: converted({
        displayType: "stacked_bar",
        sourceId: "@log",
        asRatio: false,
        fillNulls: true,
        select: [COUNTED],
      }),
    },
    {
      rule: "time as ratio",
      recorded: [1067, 1085, 1086],
      echo: "kept",
      body: board({
        tiles: [seriesTile([series("time", { groupBy: [] }), series("time", { groupBy: [] })], { asRatio: true })],
      }),
      members: {
        "tiles.0.asRatio": ABSENT,
        ...converted({
          ...LINE,
          asRatio: true,
          select: [COUNTED, COUNTED],
        }),
      },
    },
    {
      rule: "time as ratio of one series",
      recorded: [1068],
      body: board({ tiles: [seriesTile([series("time", { groupBy: [] })], { asRatio: true })] }),
      members: {
        "tiles.0.asRatio": ABSENT,
        ...converted({
          ...LINE,
          select: [COUNTED],
        }),
      },
    },
    {
      rule: "time with a quantile at 0.75",
      recorded: [1069],
      body: board({
        tiles: [seriesTile([series("time", { aggFn: "quantile", level: 0.75, field: "Duration", groupBy: [] })])],
      }),
      members: converted({
        ...LINE,
        select: [{ ...COUNTED, valueExpression: "Duration", aggFn: "quantile" }],
      }),
    },
    {
      rule: "time of a metric",
      recorded: [1070],
      body: board({
        tiles: [
          seriesTile([
            {
              type: "time",
              sourceId: "@metric",
              aggFn: "avg",
              where: "Severity:error",
              whereLanguage: "lucene",
              field: "Value",
              metricDataType: "gauge",
              metricName: "cpu.load",
              groupBy: [],
            },
          ]),
        ],
      }),
      members: converted({
        displayType: "line",
        sourceId: "@metric",
        asRatio: false,
        fillNulls: true,
        select: [
          {
            metricType: "gauge",
            metricName: "cpu.load",
            valueExpression: "Value",
            aggFn: "avg",
            where: "Severity:error",
            whereLanguage: "lucene",
          },
        ],
      }),
    },
    {
      rule: "table with a sort order",
      recorded: [1071],
      body: board({
        tiles: [
          seriesTile([series("table", { aggFn: "max", field: "Duration", groupBy: ["Service"], sortOrder: "desc" })]),
        ],
      }),
      members: converted({
        displayType: "table",
        sourceId: "@log",
        asRatio: false,
        groupBy: "Service",
        select: [{ ...COUNTED, valueExpression: "Duration", aggFn: "max" }],
      }),
    },
    {
      rule: "number",
      recorded: [1072],
      body: board({
        tiles: [seriesTile([series("number", { numberFormat: { output: "byte", mantissa: 1 }, alias: "errors" })])],
      }),
      members: converted({
        displayType: "number",
        sourceId: "@log",
        select: [{ ...COUNTED, alias: "errors" }],
        numberFormat: { output: "byte", mantissa: 1 },
      }),
    },
    {
      rule: "number, two series",
      recorded: [1073],
      body: board({
        tiles: [seriesTile([series("number", { alias: "first" }), series("number", { alias: "second" })])],
      }),
      members: converted({
        displayType: "number",
        sourceId: "@log",
        select: [{ ...COUNTED, alias: "first" }],
      }),
    },
    {
      rule: "search",
      recorded: [1074],
      body: board({
        tiles: [
          seriesTile([
            {
              type: "search",
              sourceId: "@log",
              fields: ["Timestamp", "Body"],
              where: "Severity:error",
              whereLanguage: "lucene",
            },
          ]),
        ],
      }),
      members: converted({
        displayType: "search",
        sourceId: "@log",
        select: "Timestamp, Body",
        where: "Severity:error",
        whereLanguage: "lucene",
      }),
    },
    {
      rule: "markdown",
      recorded: [1075],
      body: board({ tiles: [seriesTile([{ type: "markdown", content: "# Notes" }])] }),
      members: { "tiles.0.series": ABSENT, "tiles.0.config": { displayType: "markdown", markdown: "# Notes" } },
    },
    {
      rule: "a type that is not known",
      recorded: [1076],
      body: board({ tiles: [seriesTile([series("histogram", { field: "Duration" })])] }),
      refused:
        "Body validation failed: tiles.0.series.0.type: Invalid discriminator value. Expected 'time' | 'table' | 'search' | 'number' | 'markdown'",
    },
    {
      rule: "two types in one tile",
      only: "self-hosted",
      recorded: [1077],
      body: board({ tiles: [seriesTile([series("number"), { type: "markdown", content: "x" }])] }),
      refused: "Body validation failed: tiles.0.series: All series must have the same type",
    },
    {
      rule: "series []",
      recorded: [1078],
      body: board({ tiles: [seriesTile([])] }),
      refused: "Body validation failed: tiles.0.series: Array must contain at least 1 element(s)",
    },
    {
      rule: "series beside config",
      recorded: [1079],
      body: board({
        tiles: [
          {
            name: "Checkout latency",
            x: 0,
            y: 0,
            w: 6,
            h: 3,
            series: [{ type: "markdown", content: "x" }],
            config: { displayType: "markdown", markdown: "x" },
          },
        ],
      }),
      refused: "Body validation failed: tiles.0: Tile cannot have both series and config",
    },
    {
      rule: "neither series nor config",
      recorded: [1080],
      body: board({ tiles: [{ name: "Checkout latency", x: 0, y: 0, w: 6, h: 3 }] }),
      refused: "Body validation failed: tiles.0: Tile must have either series or config",
    },
    {
      rule: "time without groupBy",
      recorded: [1081],
      body: board({ tiles: [seriesTile([series("time")])] }),
      refused: "Body validation failed: tiles.0.series.0.groupBy: Required",
    },
    {
      rule: "time with 11 groupBy",
      only: "self-hosted",
      recorded: [1082],
      body: board({ tiles: [seriesTile([series("time", { groupBy: times(11, () => "x") })])] }),
      refused: "Body validation failed: tiles.0.series.0.groupBy: Array must contain at most 10 element(s)",
    },
    {
      rule: "an unknown source",
      recorded: [1083],
      body: board({
        tiles: [
          seriesTile([
            { type: "number", sourceId: NOTHING, aggFn: "count", where: "Severity:error", whereLanguage: "lucene" },
          ]),
        ],
      }),
      refused: "Could not find the following source IDs: @nothing",
    },
    {
      rule: "asRatio on the tile beside config",
      recorded: [1084],
      body: board({ tiles: [tile(markdown(), { asRatio: false })] }),
      refused:
        "Body validation failed: tiles.0: asRatio property is not supported when using config property. Specify config.asRatio instead.",
    },
  ],
};
