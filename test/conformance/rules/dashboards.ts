import { board, boardOf, chart, line, table } from "../bodies.ts";
import { FULL_BOARD, IN_SQL } from "../recorded-updates.ts";
import { ABSENT, ANY, echo, type Topic } from "../rule.ts";

const COUNTED = { aggFn: "count", where: "Severity:error", whereLanguage: "lucene" };
const SERIES = { type: "time", sourceId: "@log", groupBy: [], ...COUNTED };
const CONVERTED = { valueExpression: "", ...COUNTED };
const NO_LANGUAGE =
  "Body validation failed: savedQueryLanguage: savedQueryLanguage cannot be null when savedQuery is provided";

/** Hand-written rules for dashboards; other recorded requests become rules in recorded-rules.ts. */
export const dashboards: Topic = {
  topic: "dashboards",
  request: "POST dashboards",
  rules: [
    {
      rule: "a tile of the older form, time as ratio",
      recorded: [1067, 1085, 1086],
      echo: "kept",
      body: board({ tiles: [{ name: "Tile", x: 0, y: 0, w: 6, h: 3, series: [SERIES, SERIES], asRatio: true }] }),
      members: {
        "tiles.0.asRatio": ABSENT,
        "tiles.0.series": ABSENT,
        "tiles.0.config": {
          displayType: "line",
          sourceId: "@log",
          asRatio: true,
          fillNulls: true,
          select: [CONVERTED, CONVERTED],
        },
      },
    },
    {
      rule: "a link to a dashboard that is deleted stays, and the record's own GET body is refused",
      recorded: [1436, 1437, 1438],
      given: [
        ["target", "dashboards", board()],
        [
          "linking",
          "dashboards",
          boardOf(table({ onClick: { type: "dashboard", target: { mode: "id", id: "@target" } } })),
        ],
      ],
      request: "DELETE dashboards/@target",
      after: [
        { request: "GET dashboards/@linking", members: { "tiles.0.config.onClick.target.id": "@target" } },
        {
          request: "PUT dashboards/@linking",
          body: echo("linking"),
          refused: "Could not find the following onClick dashboard IDs: @target",
        },
      ],
    },
    {
      rule: "an update with language null alone keeps the query; then the record's own GET body is refused",
      recorded: [616, 617, 618, 619],
      given: [["dashboard", "dashboards", IN_SQL]],
      request: "PUT dashboards/@dashboard",
      body: echo("dashboard", { savedQuery: ABSENT, savedQueryLanguage: null }),
      members: { savedQuery: "Service = 'checkout'" },
      after: [
        { request: "PUT dashboards/@dashboard", body: echo("dashboard"), refused: NO_LANGUAGE },
        { request: "POST dashboards", body: echo("dashboard", { id: ABSENT }), refused: NO_LANGUAGE },
      ],
    },
    {
      rule: "filters left out",
      recorded: [1316],
      given: [["record", "dashboards", FULL_BOARD]],
      request: "PUT dashboards/@record",
      body: echo("record", { filters: ABSENT }),
      members: { filters: ANY, "filters.0.name": "Service", "filters.length": 1 },
    },
    // The public sources of the server show the next rules. There is no recording of them.
    {
      rule: "a search without its language, where it is not needed",
      only: "self-hosted",
      body: boardOf(chart("search", { select: "Body", where: "" })),
    },
    {
      rule: "promql in a series",
      only: "self-hosted",
      body: board({
        tiles: [{ name: "Tile", x: 0, y: 0, w: 6, h: 3, series: [{ ...SERIES, whereLanguage: "promql" }] }],
      }),
      members: {
        "tiles.0.series": ABSENT,
        "tiles.0.config.select": [{ ...CONVERTED, whereLanguage: "promql" }],
        "tiles.0.config.displayType": "line",
        "tiles.0.config.sourceId": "@log",
      },
    },
    {
      rule: "a maximum without a value expression",
      only: "self-hosted",
      body: boardOf(line({ select: [{ aggFn: "max" }] })),
      refused:
        "Body validation failed: tiles.0.config.select.0: Value expression is required for non-count aggregation functions",
    },
  ],
};
