import type { z } from "zod";

const INTERVAL_MINUTES = { "1m": 1, "5m": 5, "15m": 15, "30m": 30, "1h": 60, "6h": 360, "12h": 720, "1d": 1440 };
export const INTERVALS = ["1m", "5m", "15m", "30m", "1h", "6h", "12h", "1d"] as const;
export const THRESHOLD_TYPES = [
  "above",
  "below",
  "above_exclusive",
  "below_or_equal",
  "equal",
  "not_equal",
  "between",
  "not_between",
] as const;

interface Condition {
  readonly interval: (typeof INTERVALS)[number];
  readonly thresholdType: (typeof THRESHOLD_TYPES)[number];
  readonly thresholdMax?: number | null | undefined;
  readonly scheduleOffsetMinutes?: number | null | undefined;
}

/** What holds between the members of an alert's condition, on both variants. */
export function checkCondition(alert: Condition, context: z.RefinementCtx): void {
  const fault = (member: string, message: string): void =>
    context.addIssue({ code: "custom", path: [member], message });
  const isBetween = alert.thresholdType === "between" || alert.thresholdType === "not_between";
  if (isBetween && (alert.thresholdMax ?? undefined) === undefined) {
    fault("thresholdMax", "thresholdMax is required for between/not_between threshold types");
  }
  const minutes = INTERVAL_MINUTES[alert.interval];
  if ((alert.scheduleOffsetMinutes ?? 0) >= minutes) {
    fault("scheduleOffsetMinutes", `scheduleOffsetMinutes must be less than ${minutes} minutes`);
  }
}

interface Channels {
  readonly channel?: object | undefined;
  readonly channels?: readonly object[] | undefined;
}

/** An alert has a channel, and where both members are there they begin with the same one. */
export function checkChannels({ channel, channels }: Channels, context: z.RefinementCtx): void {
  const fault = (message: string): void => context.addIssue({ code: "custom", path: ["channels"], message });
  if (channel === undefined && channels === undefined) fault('Provide either "channel" or "channels"');
  if (channel !== undefined && channels !== undefined && !isSame(channel, channels[0])) {
    const rule = '"channel" must match the first entry of "channels"';
    fault(`When both "channel" and "channels" are provided, ${rule}`);
  }
}

// Both have come out of the same schema, so their members are in the same order.
function isSame(left: object, right: object | undefined): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
