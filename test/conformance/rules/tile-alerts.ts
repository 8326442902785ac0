import {
  SQL_PER_INTERVAL,
  alert,
  boardOf,
  chart,
  heatmap,
  line,
  markdown,
  numberOf,
  rawSql,
  table,
  tile,
} from "../bodies.ts";
import { ABSENT, echo, type Given, type Json, type JsonObject, type Rule, type Step, type Topic } from "../rule.ts";

const ON_TILE = alert({ dashboardId: "@dashboard", tileId: "@dashboard.tiles.0.id" });
const NOT_ON_SQL = "Alerts on Raw SQL tiles are only supported for Line, Stacked Bar, or Number display types";
const NO_INTERVAL = "Raw SQL alert query is invalid: SQL used for alerts must include an interval parameter or macro.";
const MACROS = "SELECT $__timeInterval(t) AS ts, count() FROM logs WHERE $__timeFilter(t) GROUP BY ts";

const ALERT_STAYS: Step = { request: "GET alerts/@alert" };
const ALERT_DELETED: Step = { request: "GET alerts/@alert", status: 404 };
const search = (displayType: string, select: string): JsonObject => ({ displayType, sourceId: "@log", select });

/** Returns the rule for an alert on a dashboard's only tile, after an update that changes nothing. */
function onTile(name: string, recorded: readonly number[], config: JsonObject, after: Step): Rule {
  return {
    rule: `an alert on ${name}, its dashboard updated without a change`,
    recorded,
    // Managed stacks refuse alerts on tiles of these types.
    ...(after === ALERT_DELETED && { only: "self-hosted" as const }),
    given: [["dashboard", "dashboards", boardOf(config)]],
    body: ON_TILE,
    as: "alert",
    after: [{ request: "PUT dashboards/@dashboard", body: echo("dashboard") }, after],
  };
}

/** Returns the rule for an update that changes the configuration of a tile with an alert. */
function changed(
  name: string,
  recorded: readonly number[],
  from: JsonObject,
  to: JsonObject,
  after: readonly Step[],
): Rule {
  return {
    rule: `a tile with an alert turns from ${name}`,
    recorded,
    given: [
      ["dashboard", "dashboards", boardOf(from)],
      ["alert", "alerts", ON_TILE],
    ],
    request: "PUT dashboards/@dashboard",
    body: echo("dashboard", { "tiles.0.config": to as Json }),
    after,
  };
}

function onSql(name: string, recorded: readonly number[], config: JsonObject, refused?: string): Rule {
  const given: Given = [["dashboard", "dashboards", boardOf(config)]];
  return { rule: `an alert on ${name}`, recorded, given, body: ON_TILE, ...(refused !== undefined && { refused }) };
}

const TWO: Given = [
  ["dashboard", "dashboards", boardOf(line(), line())],
  ["alert", "alerts", ON_TILE],
];

/** Rules for the alerts of tiles that an update of the dashboard changes. */
export const tileAlerts: Topic = {
  topic: "tile-alerts",
  request: "POST alerts",
  rules: [
    onTile("a line", [730, 731, 732], line(), ALERT_STAYS),
    onTile("a stacked bar", [733, 734, 735], chart("stacked_bar"), ALERT_STAYS),
    onTile("a number", [736, 737, 738], numberOf(), ALERT_STAYS),
    onTile("a table", [739, 740, 741], table(), ALERT_DELETED),
    onTile("a pie", [742, 743, 744], chart("pie"), ALERT_DELETED),
    onTile("a bar", [745, 746, 747], chart("bar"), ALERT_DELETED),
    onTile("a heatmap", [748, 749, 750], heatmap(), ALERT_DELETED),
    onTile("a search", [751, 752, 753], search("search", "Timestamp, Body"), ALERT_DELETED),
    onTile("event patterns", [754, 755, 756], search("event_patterns", "Body"), ALERT_DELETED),
    onTile("Markdown", [757, 758, 759], markdown(), ALERT_DELETED),
    onTile("a raw SQL line", [760, 761, 762], rawSql("line", SQL_PER_INTERVAL), ALERT_STAYS),
    onTile("a raw SQL stacked bar", [763, 764, 765], rawSql("stacked_bar", SQL_PER_INTERVAL), ALERT_STAYS),
    onTile("a raw SQL number", [766, 767, 768], rawSql("number"), ALERT_STAYS),
    onSql("a raw SQL table", [769, 893], rawSql("table", SQL_PER_INTERVAL), NOT_ON_SQL),
    onSql("a raw SQL pie", [770, 894], rawSql("pie", SQL_PER_INTERVAL), NOT_ON_SQL),
    onSql("a raw SQL bar", [771], rawSql("bar", SQL_PER_INTERVAL), NOT_ON_SQL),
    onSql("a raw SQL line without an interval", [885], rawSql("line"), NO_INTERVAL),
    onSql("a raw SQL stacked bar without an interval", [886], rawSql("stacked_bar"), NO_INTERVAL),
    onSql("a raw SQL number without an interval", [887], rawSql("number")),
    onSql("a raw SQL line with macros", [888], rawSql("line", MACROS)),
    onSql("a raw SQL line without a time range", [889], rawSql("line", SQL_PER_INTERVAL)),
    onSql("a raw SQL line with empty SQL", [891], rawSql("line", ""), NO_INTERVAL),
    onSql("a raw SQL number with empty SQL", [892], rawSql("number", "")),
    changed("a line to a number", [772, 773], line(), numberOf(), [ALERT_STAYS]),
    changed("a line to a table", [774, 775], line(), table(), [ALERT_DELETED]),
    changed("a line to a raw SQL line", [776, 777], line(), rawSql("line", SQL_PER_INTERVAL), [ALERT_STAYS]),
    changed("a line to a raw SQL table", [778, 779], line(), rawSql("table"), [ALERT_DELETED]),
    changed(
      "raw SQL to raw SQL without an interval: its alert's own GET body is refused",
      [780, 781, 782],
      rawSql("line", SQL_PER_INTERVAL),
      rawSql("line"),
      [ALERT_STAYS, { request: "PUT alerts/@alert", body: echo("alert"), refused: NO_INTERVAL }],
    ),
    {
      rule: "tiles in another order, one renamed and moved, keep their alerts",
      recorded: [783, 784],
      given: TWO,
      request: "PUT dashboards/@dashboard",
      body: boardWith([
        tile(line(), { id: "@dashboard.tiles.1.id" }),
        tile(line(), { id: "@dashboard.tiles.0.id", name: "Renamed", x: 12 }),
      ]),
      after: [ALERT_STAYS],
    },
    {
      rule: "a tile that is left out loses its alert",
      recorded: [785, 786],
      given: TWO,
      request: "PUT dashboards/@dashboard",
      body: echo("dashboard", { "tiles.0": ABSENT }),
      after: [ALERT_DELETED],
    },
    {
      rule: "a tile that is sent without its id loses its alert",
      recorded: [787, 788],
      given: TWO,
      request: "PUT dashboards/@dashboard",
      body: echo("dashboard", { "tiles.0.id": ABSENT }),
      after: [ALERT_DELETED],
    },
  ],
};

function boardWith(tiles: readonly JsonObject[]): JsonObject {
  return { name: "Conformance", tiles };
}
