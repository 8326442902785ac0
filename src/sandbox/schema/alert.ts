import { z } from "zod";
import type { SandboxVariant } from "../options.ts";

const INTERVAL_MINUTES = { "1m": 1, "5m": 5, "15m": 15, "30m": 30, "1h": 60, "6h": 360, "12h": 720, "1d": 1440 };
const INTERVALS = ["1m", "5m", "15m", "30m", "1h", "6h", "12h", "1d"] as const;
const THRESHOLD_TYPES = [
  "above",
  "below",
  "above_exclusive",
  "below_or_equal",
  "equal",
  "not_equal",
  "between",
  "not_between",
] as const;

const webhook = z.object({ type: z.literal("webhook"), webhookId: z.string() });
const email = z.object({ type: z.literal("email"), recipients: z.array(z.string().min(1)).min(1) });

type Channel = z.output<typeof webhook> | z.output<typeof email>;

const watched = z.union([
  z.object({ source: z.literal("tile"), dashboardId: z.string(), tileId: z.string() }),
  z.object({ source: z.literal("saved_search"), savedSearchId: z.string(), groupBy: z.string().optional() }),
]);

function conditionWith(channel: z.ZodType<Channel>) {
  return z.object({
    name: z.string().min(1).max(512).nullish(),
    message: z.string().min(1).max(4096).nullish(),
    note: z.string().nullish(),
    threshold: z.number(),
    thresholdMax: z.number().optional(),
    thresholdType: z.enum(THRESHOLD_TYPES),
    interval: z.enum(INTERVALS),
    scheduleOffsetMinutes: z.number().int().min(0).optional(),
    scheduleStartAt: z.iso.datetime().nullish(),
    numConsecutiveWindows: z.number().int().min(1).nullish(),
    channel: channel.optional(),
    channels: z.array(channel).min(1).max(10).optional(),
  });
}

type Condition = z.output<ReturnType<typeof conditionWith>>;
export type Alert = Condition & z.output<typeof watched>;

const SCHEMAS = {
  "self-hosted": z.intersection(conditionWith(webhook), watched).superRefine(checkTogether),
  managed: z
    .intersection(conditionWith(z.discriminatedUnion("type", [webhook, email])), watched)
    .superRefine(checkTogether),
};

/** The body of a create or an update; managed knows e-mail channels beside webhooks (field notes, Alerts). */
export function alertSchema(variant: SandboxVariant): z.ZodType<Alert> {
  return SCHEMAS[variant];
}

function checkTogether(alert: Condition, context: z.RefinementCtx): void {
  const fault = (member: string, message: string): void =>
    context.addIssue({ code: "custom", path: [member], message });
  const { channel, channels, thresholdType, interval } = alert;
  if (channel === undefined && channels === undefined) {
    fault("channels", 'Provide either "channel" or "channels"');
  }
  if (channel !== undefined && channels !== undefined && !isSame(channel, channels[0])) {
    const rule = '"channel" must match the first entry of "channels"';
    fault("channels", `When both "channel" and "channels" are provided, ${rule}`);
  }
  if ((thresholdType === "between" || thresholdType === "not_between") && alert.thresholdMax === undefined) {
    fault("thresholdMax", "thresholdMax is required for between/not_between threshold types");
  }
  const minutes = INTERVAL_MINUTES[interval];
  if ((alert.scheduleOffsetMinutes ?? 0) >= minutes) {
    fault("scheduleOffsetMinutes", `scheduleOffsetMinutes must be less than ${minutes} minutes`);
  }
}

// Both have come out of the same schema, so their members are in the same order.
function isSame(left: Channel, right: Channel | undefined): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
