import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";

const INTERVAL_MINUTES = {
  "30s": 0.5,
  "1m": 1,
  "5m": 5,
  "15m": 15,
  "30m": 30,
  "1h": 60,
  "6h": 360,
  "12h": 720,
  "1d": 1440,
};
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

const MAX_CHANNELS = 10;

interface Condition {
  readonly interval: keyof typeof INTERVAL_MINUTES;
  readonly threshold: number;
  readonly thresholdType: (typeof THRESHOLD_TYPES)[number];
  readonly thresholdMax?: number | null | undefined;
  readonly scheduleOffsetMinutes?: number | null | undefined;
  readonly scheduleStartAt?: string | null | undefined;
}

/** Checks the dependencies between the members of an alert's condition (docs/api.md#alerts). */
export function checkCondition(alert: Condition, context: z.RefinementCtx): void {
  const fault = (member: string, message: string): void =>
    context.addIssue({ code: "custom", path: [member], message });
  const max = alert.thresholdMax ?? undefined;
  const isRange = alert.thresholdType === "between" || alert.thresholdType === "not_between";
  if (isRange && max === undefined) {
    fault("thresholdMax", "thresholdMax is required for between/not_between threshold types");
  }
  if (isRange && max !== undefined && max < alert.threshold) {
    fault("thresholdMax", "thresholdMax must be greater than or equal to threshold");
  }
  const minutes = INTERVAL_MINUTES[alert.interval];
  const offset = alert.scheduleOffsetMinutes ?? 0;
  if (offset >= minutes) {
    const unit = minutes === 1 ? "minute" : "minutes";
    fault("scheduleOffsetMinutes", `scheduleOffsetMinutes must be less than ${minutes} ${unit}`);
  }
  if (offset > 0 && (alert.scheduleStartAt ?? undefined) !== undefined) {
    fault("scheduleOffsetMinutes", "scheduleOffsetMinutes must be 0 when scheduleStartAt is provided");
  }
}

/** A start lies at most one year in the future and ten years in the past. */
export function checkStart({ scheduleStartAt }: Condition, now: number, context: z.RefinementCtx): void {
  const fault = (message: string): void =>
    context.addIssue({
      code: "custom",
      path: ["scheduleStartAt"],
      message: `scheduleStartAt must be within ${message}`,
    });
  if (typeof scheduleStartAt !== "string") return;
  const at = Date.parse(scheduleStartAt);
  if (at > yearsFrom(now, 1)) fault("1 year from now");
  if (at < yearsFrom(now, -10)) fault("10 years in the past");
}

function yearsFrom(now: number, years: number): number {
  const date = new Date(now);
  return date.setUTCFullYear(date.getUTCFullYear() + years);
}

interface Channels {
  readonly channel?: object | undefined;
  readonly channels?: readonly object[] | undefined;
}

/** An alert has one to ten distinct channels; if both members are present, `channel` equals the first of `channels`. */
export function checkChannels({ channel, channels }: Channels, context: z.RefinementCtx): void {
  const fault = (message: string): void => context.addIssue({ code: "custom", path: ["channels"], message });
  if (channels === undefined) {
    if (channel === undefined) fault('Provide either "channel" or "channels"');
    return;
  }
  if (channels.length === 0) return fault("At least one notification channel is required");
  if (channels.length > MAX_CHANNELS) fault(`An alert supports at most ${MAX_CHANNELS} notification channels`);
  const isRepeated = channels.some((each, index) =>
    channels.slice(0, index).some((other) => isDeepStrictEqual(each, other)),
  );
  if (isRepeated) fault("Duplicate notification channels are not allowed");
  if (channel !== undefined && !isDeepStrictEqual(channel, channels[0])) {
    const rule = '"channel" must match the first entry of "channels"';
    fault(`When both "channel" and "channels" are provided, ${rule}`);
  }
}
