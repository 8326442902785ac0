import {
  COUNT,
  NOTHING,
  alert,
  board,
  boardOf,
  chart,
  hook,
  line,
  logSource,
  markdown,
  tile,
  webhook,
} from "../bodies.ts";
import type { JsonObject, Rule, Topic } from "../rule.ts";

const PUT = "PUT alerts/@alert";
const ONE_ID = "Unrecognized key(s) in object: 'id'";
const EMAIL = { type: "email", emailRecipients: ["duty@example.com"] };
const detailed: JsonObject = { ...hook(0), webhookService: null, slackChannelId: "C1", severity: "critical" };

/** Returns the rule that a managed stack refuses an alert on a tile of this type. */
function onTile(displayType: string, config: JsonObject): Rule {
  return {
    rule: `an alert on a tile of the type ${displayType}`,
    given: [["dashboard", "dashboards", boardOf(config)]],
    request: "POST alerts",
    body: alert({ dashboardId: "@dashboard", tileId: "@dashboard.tiles.0.id" }),
    refused: "Alerts are supported on line, stacked_bar and number tiles",
  };
}

/** Tiles that the description of the managed service does not allow. */
const BAD_TILES: readonly (readonly [string, JsonObject])[] = [
  ["an unknown aggregate", line({ select: [{ aggFn: "p95", valueExpression: "Duration" }] })],
  ["a search without its language", { displayType: "search", sourceId: "@log", select: "Body", where: "" }],
  [
    "a colour rule between one number",
    chart("number", { colorRules: [{ operator: "between", value: 1, color: "chart-red" }] }),
  ],
];

/** Rules that the managed service's owner publishes (docs/api.md#managed). None of them was tried on the service. */
export const managed: Topic = {
  topic: "managed",
  only: "managed",
  rules: [
    ...["thresholdMax", "scheduleOffsetMinutes", "scheduleStartAt", "name", "message", "groupBy", "savedSearchId"].map(
      (member): Rule => ({
        rule: `${member} null in an alert`,
        given: [["alert", "alerts", alert()]],
        request: PUT,
        body: alert({ [member]: null }),
      }),
    ),
    {
      rule: "a channel by e-mail",
      request: "POST alerts",
      body: alert({ channel: EMAIL }),
    },
    {
      rule: "a channel by e-mail, where there is none",
      only: "self-hosted",
      request: "POST alerts",
      body: alert({ channel: EMAIL }),
      refused:
        'Body validation failed: channel.type: Invalid literal value, expected "webhook"; channel.webhookId: Required',
    },
    {
      rule: "a channel with its service, its room and its severity",
      request: "POST alerts",
      body: alert({ channel: detailed }),
    },
    {
      rule: "a channel by e-mail to nobody",
      request: "POST alerts",
      body: alert({ channel: { ...EMAIL, emailRecipients: [] } }),
      refused: "at least one recipient",
    },
    ...BAD_TILES.map(([rule, config]): Rule => ({
      rule,
      request: "POST dashboards",
      body: boardOf(config),
      refused: rule,
    })),
    {
      rule: "a refused update changes nothing",
      given: [["dashboard", "dashboards", board({ name: "Kept" })]],
      request: "PUT dashboards/@dashboard",
      body: { ...boardOf(line({ sourceId: NOTHING })), name: "Other" },
      refused: "an unknown source",
      after: [{ request: "GET dashboards/@dashboard", members: { name: "Kept" } }],
    },
    onTile("table", chart("table")),
    onTile("markdown", markdown()),
    {
      rule: "an id in the body of a dashboard",
      request: "POST dashboards",
      body: board({ id: NOTHING }),
      refused: ONE_ID,
    },
    {
      rule: "an id in the body of an alert",
      request: "POST alerts",
      body: alert({ id: NOTHING }),
      refused: ONE_ID,
    },
    {
      rule: "another id in the body of a source",
      only: "any",
      given: [["source", "sources", logSource({ name: "First" })]],
      request: "PUT sources/@source",
      body: { ...logSource({ name: "Second" }), id: NOTHING },
      after: [{ request: "GET sources/@source", members: { name: "Second" } }],
    },
    {
      rule: "a count with the empty expression that answers have",
      request: "POST dashboards",
      body: boardOf(line({ select: [{ ...COUNT, valueExpression: "" }] })),
      refused: "valueExpression must be absent when aggFn is count",
    },
    ...["slack_api", "pagerduty_api"].map((service): Rule => ({
      rule: `a webhook of the service ${service}, which only answers have`,
      only: "any",
      request: "POST webhooks",
      body: webhook({ service }),
      refused: `Body validation failed: service: Invalid enum value. Expected 'slack' | 'generic' | 'incidentio', received '${service}'`,
    })),
    {
      rule: "a fraction as x and w, where it is published",
      request: "POST dashboards",
      body: board({ tiles: [tile(markdown(), { x: 0.5, w: 1.5 })] }),
      refused: "x and w are integers",
    },
    { rule: "connections are not offered", request: "GET connections", status: 404 },
  ],
};
