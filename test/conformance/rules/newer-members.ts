import { COUNT, alert, boardOf, chart, line, logSource, numberOf, table, traceSource } from "../bodies.ts";
import { ABSENT, type Topic } from "../rule.ts";

const VERSION = { serviceVersionExpression: "ResourceAttributes['service.version']" };
const SHARE = { formulas: [{ expression: "A / B", alias: "share", numberFormat: { output: "percent" } }] };
/** Members that newer descriptions of the managed service have (docs/api.md#managed). Its sandbox lacks them. */
export const newerMembers: Topic = {
  topic: "newer-members",
  request: "POST dashboards",
  rules: [
    {
      rule: "formulas and their operands on line, stacked bar and table, a limit of the first two, a formula on a number",
      only: "self-hosted",
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
      only: "managed",
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
      only: "self-hosted",
      request: "POST sources",
      body: logSource(VERSION),
      echo: "kept",
    },
    {
      rule: "the version of a service on a trace source",
      only: "self-hosted",
      request: "POST sources",
      body: traceSource(VERSION),
      echo: "kept",
    },
    {
      rule: "an interval of 30 s, where it is not described",
      only: "any",
      request: "POST alerts",
      body: alert({ interval: "30s" }),
      refused:
        "Body validation failed: interval: Invalid enum value. Expected '1m' | '5m' | '15m' | '30m' | '1h' | '6h' | '12h' | '1d', received '30s'",
    },
    {
      rule: "several channels, where one is described",
      only: "managed",
      request: "POST alerts",
      body: alert({
        channels: [
          { type: "webhook", webhookId: "@hook0" },
          { type: "webhook", webhookId: "@hook1" },
        ],
      }),
      members: { channels: ABSENT, "channel.webhookId": "@hook0" },
    },
  ],
};
