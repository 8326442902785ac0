import type { AlertInput } from "../schema/alert.ts";
import { dashboardUrl } from "./dashboards/tile.ts";
import type { DashboardKey, SeedIds, WebhookKey } from "./seed-ids.ts";

/** An alert without the tile's id, which is only known once its dashboard is made. */
export interface SampleCondition {
  readonly on: readonly [dashboard: DashboardKey, tileName: string];
  readonly condition: Omit<AlertInput, "source" | "dashboardId" | "tileId" | "savedSearchId" | "groupBy">;
}

/** Twelve conditions: every type of threshold, one to three channels, members left out and members that are null. */
export function sampleConditions(ids: SeedIds): readonly SampleCondition[] {
  return [...serviceConditions(ids), ...otherConditions(ids)];
}

function serviceConditions({ webhooks, dashboards }: SeedIds): readonly SampleCondition[] {
  const { slack, pager, both, all } = channelsTo(webhooks);
  const link = dashboardUrl(dashboards.checkout);
  return [
    { on: ["overview", "Errors"], condition: { name: "Many errors", ...above(100), interval: "5m", ...slack } },
    { on: ["overview", "Errors"], condition: { name: "Very many errors", ...above(1000), interval: "1m", ...all } },
    {
      on: ["overview", "Requests"],
      condition: { name: "No traffic", threshold: 1, thresholdType: "below", interval: "15m", ...both },
    },
    {
      on: ["checkout", "p50, p95, p99"],
      condition: {
        name: "Checkout is slow",
        message: `p95 is {{value}}, see ${link} for where it hurts`,
        note: "Roll back first, ask later",
        threshold: 800,
        thresholdType: "above_exclusive",
        interval: "30m",
        ...pager,
      },
    },
    {
      on: ["checkout", "Failed checkouts"],
      condition: {
        name: "Checkouts out of the ordinary",
        threshold: 5,
        thresholdMax: 50,
        thresholdType: "not_between",
        interval: "1h",
        scheduleOffsetMinutes: 5,
        numConsecutiveWindows: 3,
        ...both,
      },
    },
  ];
}

function otherConditions({ webhooks }: SeedIds): readonly SampleCondition[] {
  const { slack, pager, incident, both, all } = channelsTo(webhooks);
  return [
    {
      on: ["kubernetes", "CPU"],
      condition: {
        name: "CPU in the danger zone",
        threshold: 0.8,
        thresholdMax: 0.95,
        thresholdType: "between",
        interval: "6h",
        ...slack,
      },
    },
    {
      on: ["kubernetes", "Disk"],
      condition: {
        name: "Disk nearly full",
        threshold: 0.1,
        thresholdType: "below_or_equal",
        interval: "12h",
        scheduleStartAt: "2026-02-08T10:00:00.000Z",
        ...pager,
      },
    },
    {
      on: ["costs", "Archiv insgesamt"],
      condition: { name: "Archiv leer – 空", threshold: 0, thresholdType: "equal", interval: "1d", ...slack },
    },
    {
      on: ["costs", "Bytes über die Zeit"],
      condition: { name: "Mehr als üblich", message: null, note: null, ...above(1e9), interval: "1d", ...slack },
    },
    {
      on: ["browser", "Sessions"],
      condition: {
        name: null,
        message: null,
        note: null,
        numConsecutiveWindows: null,
        scheduleStartAt: null,
        ...above(10_000),
        interval: "5m",
        ...incident,
      },
    },
    {
      on: ["audit", "Changes"],
      condition: {
        name: "Somebody changed something",
        threshold: 0,
        thresholdType: "not_equal",
        interval: "15m",
        ...all,
      },
    },
    {
      on: ["objectives", "Share of errors"],
      condition: { name: "Error budget burns", ...above(0.01), interval: "1h", numConsecutiveWindows: 2, ...both },
    },
  ];
}

function above(threshold: number) {
  return { threshold, thresholdType: "above" } as const;
}

function channelsTo(webhooks: SeedIds["webhooks"]) {
  const to = (key: WebhookKey) => ({ type: "webhook" as const, webhookId: webhooks[key] });
  return {
    slack: { channel: to("slack") },
    pager: { channel: to("pager") },
    incident: { channel: to("incident") },
    both: { channels: [to("slack"), to("pager")] },
    all: { channels: [to("pager"), to("slack"), to("incident")] },
  };
}
