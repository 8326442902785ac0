import {
  alert,
  board,
  connection,
  container,
  filter,
  hook,
  line,
  logSource,
  markdown,
  metricSource,
  savedSearch,
  searchAlert,
  tabs,
  tile,
  traceSource,
  webhook,
  without,
} from "./bodies.ts";
import type { JsonObject } from "./rule.ts";

/** An alert with every member that an alert on a tile may have, except for its schedule. */
export const FULL_ALERT: JsonObject = {
  ...alert(),
  message: "Latency is {{value}}",
  note: "See the runbook",
  threshold: 100,
  thresholdMax: 200,
  thresholdType: "between",
  numConsecutiveWindows: 3,
};
export const START = "2026-11-01T06:00:00.000Z";

export const FULL_SEARCH = savedSearch({
  select: "Timestamp, Body",
  where: "Service = 'checkout'",
  whereLanguage: "sql",
  orderBy: "Timestamp DESC",
  tags: ["team-a"],
  filters: [{ type: "sql", condition: "Region IN ('eu')" }],
});

export const FULL_BOARD = board({
  tiles: [tile(markdown("x"))],
  tags: ["team-a"],
  filters: [filter()],
  savedFilterValues: [{ type: "sql", condition: "Service IN ('a')" }],
  containers: [container({ id: "g", title: "G" })],
});

export const IN_SQL = board({ savedQuery: "Service = 'checkout'", savedQueryLanguage: "sql" });

const FULL_LOGS = logSource({
  section: "Shop",
  disabled: true,
  querySettings: [{ setting: "max_threads", value: "4" }],
  serviceNameExpression: "Service",
  traceSourceId: "@trace",
  highlightedRowAttributeExpressions: [{ sqlExpression: "Region" }],
  useTextIndexForImplicitColumn: "enabled",
});
const METRICS = { metricTables: { gauge: "gauges", histogram: "histograms", sum: "sums" }, logSourceId: "@log" };
const WITH_MAPS = { headers: { "X-Team": "a" }, queryParams: { team: "a" } };
const IN_TAB = tile(line(), { containerId: "group-a", tabId: "tab-0" });

/** The stored record before each recorded update, by range of recordings. */
export const UPDATES: readonly (readonly [first: number, last: number, kind: string, stored: JsonObject])[] = [
  [612, 623, "dashboards", IN_SQL],
  [630, 634, "alerts", { ...FULL_ALERT, scheduleStartAt: START }],
  [635, 639, "alerts", { ...FULL_ALERT, scheduleOffsetMinutes: 5 }],
  [640, 644, "alerts", { ...FULL_ALERT, thresholdType: "above" }],
  [645, 664, "alerts", FULL_ALERT],
  [665, 669, "alerts", searchAlert({ groupBy: "Service" })],
  [670, 671, "alerts", FULL_ALERT],
  [672, 680, "alerts", { ...without(alert(), "channel"), channels: [hook(0), hook(1)] }],
  [681, 685, "alerts", { ...FULL_ALERT, scheduleOffsetMinutes: 5 }],
  [688, 689, "alerts", FULL_ALERT],
  [724, 727, "alerts", { ...without(alert(), "channel"), channels: [hook(0), hook(1)] }],
  [1019, 1024, "dashboards", board({ tiles: [IN_TAB], containers: [container({ tabs: tabs(2) })] })],
  [1250, 1264, "saved-searches", FULL_SEARCH],
  [1267, 1274, "connections", connection({ isPrometheusEndpoint: true, password: "a" })],
  [1275, 1294, "sources", FULL_LOGS],
  [1295, 1296, "sources", metricSource(METRICS)],
  [1297, 1299, "sources", traceSource({ durationPrecision: 6, logSourceId: "@log" })],
  [1300, 1312, "webhooks", webhook({ description: "On call", body: '{"text":"{{title}}"}', ...WITH_MAPS })],
  [1313, 1330, "dashboards", FULL_BOARD],
  [1492, 1493, "webhooks", webhook()],
];
