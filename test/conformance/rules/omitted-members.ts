import {
  connection,
  container,
  filter,
  logSource,
  markdown,
  metricSource,
  savedSearch,
  searchAlert,
  tile,
  traceSource,
  webhook,
  without,
} from "../bodies.ts";
import type { Expected, Given, Json, JsonObject, Rule, Step, Topic } from "../rule.ts";
import { ABSENT, ANY, echo } from "../rule.ts";

type Outcome = Readonly<Record<string, Expected>> | string;

/** Updates of one record: what happens to a member that is left out or sent otherwise. */
function updatesOf(kind: string, stored: JsonObject) {
  const given: Given = [["record", kind, stored]];
  const request = `PUT ${kind}/@record`;
  const only: Pick<Rule, "only"> = kind === "connections" ? { only: "self-hosted" } : {};
  const row = (rule: string, recorded: number, body: Step["body"], outcome: Outcome): Rule => ({
    rule: `${"kind" in stored ? `${String(stored["kind"])} ` : ""}${kind}: ${rule}`,
    recorded: [recorded],
    ...only,
    given,
    request,
    ...(body !== undefined && { body }),
    ...(typeof outcome === "string" ? { refused: `Body validation failed: ${outcome}` } : { members: outcome }),
  });
  return {
    omit: (recorded: number, member: string, outcome: Outcome): Rule =>
      row(`${member} left out`, recorded, without(stored, member), outcome),
    set: (recorded: number, member: string, value: Json, outcome: Outcome = {}): Rule =>
      row(`${member} ${JSON.stringify(value)}`, recorded, { ...stored, [member]: value }, outcome),
  };
}

/** Managed stacks publish that they take null, and have one connection alone. */
const selfHosted = (rule: Rule): Rule => ({ ...rule, only: "self-hosted" });

const SEARCH = savedSearch({
  select: "Timestamp, Body",
  where: "Service = 'checkout'",
  whereLanguage: "sql",
  orderBy: "Timestamp DESC",
  tags: ["team-a"],
  filters: [{ type: "sql", condition: "Region IN ('eu')" }],
});
const searches = updatesOf("saved-searches", SEARCH);
const savedSearches: Rule[] = [
  searches.omit(1250, "select", { select: "" }),
  searches.set(1251, "select", null, "select: Expected string, received null"),
  searches.omit(1252, "where", { where: "" }),
  searches.set(1253, "where", null, "where: Expected string, received null"),
  searches.omit(1254, "whereLanguage", { whereLanguage: "lucene" }),
  searches.set(1255, "whereLanguage", null, "whereLanguage: Expected 'lucene' | 'sql', received null"),
  searches.omit(1256, "orderBy", { orderBy: "" }),
  searches.set(1257, "orderBy", null, "orderBy: Expected string, received null"),
  searches.omit(1258, "tags", { tags: [] }),
  searches.set(1259, "tags", null, "tags: Expected array, received null"),
  searches.omit(1260, "filters", { filters: [] }),
  searches.set(1261, "filters", null, "filters: Expected array, received null"),
  searches.omit(1262, "sourceId", "sourceId: Required"),
  searches.set(1263, "sourceId", "@trace"),
  searches.set(1264, "tags", ["x", "x"]),
  {
    rule: "saved-searches: an update keeps the alert on it",
    recorded: [1265, 1266],
    given: [
      ["record", "saved-searches", SEARCH],
      ["alert", "alerts", searchAlert({ savedSearchId: "@record" })],
    ],
    request: "PUT saved-searches/@record",
    body: SEARCH,
    after: [{ request: "GET alerts/@alert" }],
  },
];

const stores = updatesOf("connections", connection({ isPrometheusEndpoint: true, password: "a" }));
const connections: Rule[] = [
  stores.omit(1267, "isPrometheusEndpoint", { isPrometheusEndpoint: true }),
  stores.set(1268, "isPrometheusEndpoint", false),
  stores.set(1269, "isPrometheusEndpoint", null, "isPrometheusEndpoint: Expected boolean, received null"),
  stores.omit(1270, "username", "username: Required"),
  stores.omit(1271, "host", "host: Required"),
  stores.set(1272, "password", null, "password: Expected string, received null"),
  stores.set(1273, "host", ""),
  stores.set(1274, "username", "other"),
];

const logs = updatesOf(
  "sources",
  logSource({
    section: "Shop",
    disabled: true,
    querySettings: [{ setting: "max_threads", value: "4" }],
    serviceNameExpression: "Service",
    traceSourceId: "@trace",
    highlightedRowAttributeExpressions: [{ sqlExpression: "Region" }],
    useTextIndexForImplicitColumn: "enabled",
  }),
);
const TEXT = "Expected string, received null";
const metrics = updatesOf(
  "sources",
  metricSource({ metricTables: { gauge: "gauges", histogram: "histograms", sum: "sums" }, logSourceId: "@log" }),
);
const traces = updatesOf("sources", traceSource({ durationPrecision: 6, logSourceId: "@log" }));
const sources: Rule[] = [
  logs.omit(1275, "section", { section: ABSENT }),
  logs.set(1276, "section", null, `section: ${TEXT}`),
  logs.omit(1277, "disabled", { disabled: false }),
  selfHosted(logs.set(1278, "disabled", null, "disabled: Expected boolean, received null")),
  logs.omit(1279, "querySettings", { querySettings: [] }),
  logs.set(1280, "querySettings", null, "querySettings: Expected array, received null"),
  logs.omit(1281, "serviceNameExpression", { serviceNameExpression: ABSENT }),
  selfHosted(logs.set(1282, "serviceNameExpression", null, `serviceNameExpression: ${TEXT}`)),
  logs.omit(1283, "traceSourceId", { traceSourceId: ABSENT }),
  selfHosted(logs.set(1284, "traceSourceId", null, `traceSourceId: ${TEXT}`)),
  logs.omit(1285, "highlightedRowAttributeExpressions", { highlightedRowAttributeExpressions: [] }),
  logs.set(
    1286,
    "highlightedRowAttributeExpressions",
    null,
    "highlightedRowAttributeExpressions: Expected array, received null",
  ),
  logs.omit(1287, "useTextIndexForImplicitColumn", { useTextIndexForImplicitColumn: ABSENT }),
  selfHosted(
    logs.set(
      1288,
      "useTextIndexForImplicitColumn",
      null,
      "useTextIndexForImplicitColumn: Expected 'auto' | 'enabled' | 'disabled', received null",
    ),
  ),
  logs.set(1289, "section", ""),
  logs.set(1290, "traceSourceId", ""),
  logs.omit(1291, "defaultTableSelectExpression", "defaultTableSelectExpression: Required"),
  logs.omit(1292, "connection", "connection: Required"),
  logs.omit(
    1293,
    "kind",
    "kind: Invalid discriminator value. Expected 'log' | 'trace' | 'session' | 'metric' | 'promql'",
  ),
  selfHosted(logs.set(1294, "connection", "@second")),
  metrics.set(1295, "metricTables", { gauge: "gauges" }),
  metrics.omit(1296, "logSourceId", { logSourceId: ABSENT }),
  traces.omit(1297, "durationPrecision", { durationPrecision: 3 }),
  traces.set(1298, "logSourceId", null),
  traces.omit(1299, "logSourceId", { logSourceId: ABSENT }),
];

const HOOK = webhook({ description: "On call", body: '{"text":"{{title}}"}' });
const hooks = updatesOf("webhooks", { ...HOOK, headers: { "X-Team": "a" }, queryParams: { team: "a" } });
const withoutMaps = updatesOf("webhooks", HOOK);
const webhooks: Rule[] = [
  withoutMaps.set(1300, "name", "Conformance probe"),
  hooks.omit(1301, "description", { description: ABSENT }),
  hooks.set(1302, "description", ""),
  hooks.omit(1303, "body", { body: ABSENT }),
  hooks.set(1304, "body", ""),
  hooks.set(1305, "headers", {}),
  hooks.set(1306, "queryParams", {}),
  hooks.set(1307, "headers", { "X-Other": "b" }),
  hooks.set(1308, "name", "Conformance probe 2"),
  hooks.set(1309, "url", "https://hooks.example.com/probe/"),
  hooks.set(1310, "url", "https://HOOKS.example.com/probe"),
  hooks.omit(1311, "url", "url: Required"),
  hooks.omit(1312, "service", "service: Required"),
];

const BOARD: JsonObject = {
  name: "Conformance",
  tiles: [tile(markdown("x"))],
  tags: ["team-a"],
  filters: [filter()],
  savedFilterValues: [{ type: "sql", condition: "Service IN ('a')" }],
  containers: [container()],
};

/** An update of a dashboard is made from its own GET: its tiles and filters have ids. */
function boardUpdate(recorded: number, member: string, value: Json | typeof ABSENT, outcome: Outcome): Rule {
  return {
    rule: `dashboards: ${member} ${value === ABSENT ? "left out" : JSON.stringify(value)}`,
    recorded: [recorded],
    given: [["record", "dashboards", BOARD]],
    request: "PUT dashboards/@record",
    body: echo("record", { [member]: value }),
    ...(typeof outcome === "string" ? { refused: `Body validation failed: ${outcome}` } : { members: outcome }),
  };
}

const LIST = "Expected array, received null";
const dashboards: Rule[] = [
  boardUpdate(1313, "tags", ABSENT, { tags: ["team-a"] }),
  boardUpdate(1314, "tags", null, `tags: ${LIST}`),
  boardUpdate(1315, "tags", [], {}),
  boardUpdate(1316, "filters", ABSENT, { filters: ANY, "filters.0.name": "Service", "filters.length": 1 }),
  boardUpdate(1317, "filters", null, `filters: ${LIST}`),
  boardUpdate(1318, "filters", [], {}),
  boardUpdate(1319, "savedFilterValues", ABSENT, { savedFilterValues: BOARD["savedFilterValues"] as Json }),
  boardUpdate(1320, "savedFilterValues", null, `savedFilterValues: ${LIST}`),
  boardUpdate(1321, "savedFilterValues", [], {}),
  boardUpdate(1322, "containers", ABSENT, { containers: [container()] }),
  boardUpdate(1323, "containers", null, `containers: ${LIST}`),
  boardUpdate(1324, "containers", [], { containers: ABSENT }),
  boardUpdate(1325, "name", ABSENT, "name: Required"),
  boardUpdate(1326, "tiles", ABSENT, "tiles: Required"),
  boardUpdate(1327, "tiles", [], {}),
  boardUpdate(1328, "filters.0.id", "no-such-filter", { "filters.length": 1 }),
  boardUpdate(1329, "tags", ["x", "y", "x"], { tags: ["x", "y"] }),
  boardUpdate(1330, "name", "", {}),
];

/** What an update keeps, resets and refuses of what is left out, kind by kind. */
export const omittedMembers: Topic = {
  topic: "omitted-members",
  rules: [...savedSearches, ...connections, ...sources, ...webhooks, ...dashboards],
};
