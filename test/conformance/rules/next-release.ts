import {
  COUNT,
  alert,
  boardOf,
  chart,
  line,
  logSource,
  numberOf,
  searchAlert,
  table,
  traceSource,
  without,
} from "../bodies.ts";
import { ABSENT, type JsonObject, type Topic } from "../rule.ts";

const VERSION = { serviceVersionExpression: "ResourceAttributes['service.version']" };
const SHARE = { formulas: [{ expression: "A / B", alias: "share", numberFormat: { output: "percent" } }] };
const inline: JsonObject = {
  ...without(searchAlert(), "savedSearchId", "channel"),
  source: "inline",
  channel: { type: "webhook", webhookId: "@hook0" },
  chartConfig: { displayType: "line", sourceId: "@log", select: [COUNT] },
};

/**
 * Rules that the description of the managed service's next release gives (docs/api.md#managed). None of them was tried there.
 */
export const nextRelease: Topic = {
  topic: "next-release",
  request: "POST dashboards",
  rules: [
    {
      rule: "formulas and their operands on line, stacked bar and table, a limit of the first two, a formula on a number",
      only: "newer",
      body: boardOf(
        line({ select: [COUNT, COUNT], ...SHARE, showOperandSeries: false, seriesLimit: 5 }),
        chart("stacked_bar", { select: [COUNT, COUNT], ...SHARE, showOperandSeries: true, seriesLimit: 0 }),
        table({ select: [COUNT, COUNT], ...SHARE, showOperandSeries: true }),
        numberOf({ select: [COUNT, COUNT], ...SHARE }),
      ),
      echo: "kept",
    },
    {
      rule: "the same members, where they are not described",
      only: "managed-now",
      body: boardOf(line({ select: [COUNT, COUNT], ...SHARE, showOperandSeries: false, seriesLimit: 5 })),
      members: {
        "tiles.0.config.formulas": ABSENT,
        "tiles.0.config.showOperandSeries": ABSENT,
        "tiles.0.config.seriesLimit": ABSENT,
      },
      echo: "kept",
    },
    {
      rule: "the version of a service on a log source",
      only: "newer",
      request: "POST sources",
      body: logSource(VERSION),
      echo: "kept",
    },
    {
      rule: "the version of a service on a trace source",
      only: "newer",
      request: "POST sources",
      body: traceSource(VERSION),
      echo: "kept",
    },
    {
      rule: "an interval of 30 s",
      only: "next",
      request: "POST alerts",
      body: alert({ interval: "30s" }),
    },
    {
      rule: "an interval of 30 s, where it is not described",
      only: "now",
      request: "POST alerts",
      body: alert({ interval: "30s" }),
      refused:
        "Body validation failed: interval: Invalid enum value. Expected '1m' | '5m' | '15m' | '30m' | '1h' | '6h' | '12h' | '1d', received '30s'",
    },
    {
      rule: "several channels, where one is described",
      only: "managed-now",
      request: "POST alerts",
      body: alert({
        channels: [
          { type: "webhook", webhookId: "@hook0" },
          { type: "webhook", webhookId: "@hook1" },
        ],
      }),
      members: { channels: ABSENT, "channel.webhookId": "@hook0" },
    },
    {
      rule: "an alert with a chart of its own, which its list leaves out",
      only: "next",
      alone: true,
      request: "POST alerts",
      body: inline,
      echo: "kept",
      after: [{ request: "GET alerts", members: { "records.0.id": "@it", "records.0.chartConfig": ABSENT } }],
    },
    {
      rule: "an alert with a name to show and tags",
      only: "next",
      request: "POST alerts",
      body: alert({ displayName: "Latency", tags: ["a"] }),
      echo: "kept",
    },
  ],
};
