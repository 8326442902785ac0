import { z } from "zod";
import { INTERVALS, THRESHOLD_TYPES, checkCondition } from "./alert-condition.ts";

const webhook = z.object({
  type: z.literal("webhook"),
  webhookId: z.string(),
  webhookService: z.string().nullish(),
  slackChannelId: z.string().nullish(),
  severity: z.enum(["critical", "error", "warning", "info"]).nullish(),
});
const email = z.object({ type: z.literal("email"), emailRecipients: z.array(z.string().min(1)).min(1) });

const channel = z.discriminatedUnion("type", [webhook, email]);
const text = z.string().nullish();

/** An alert as the managed service's owner describes it, with null where a member is not used: it has one channel. */
export const managedAlertSchema = z
  .object({
    dashboardId: text,
    tileId: text,
    savedSearchId: text,
    groupBy: text,
    threshold: z.number(),
    thresholdMax: z.number().nullish(),
    interval: z.enum(INTERVALS),
    scheduleOffsetMinutes: z.number().int().min(0).nullish(),
    scheduleStartAt: z.iso.datetime().nullish(),
    source: z.enum(["saved_search", "tile"]),
    thresholdType: z.enum(THRESHOLD_TYPES),
    channel: channel.optional(),
    name: z.string().min(1).max(512).nullish(),
    message: z.string().min(1).max(4096).nullish(),
    note: text,
    numConsecutiveWindows: z.number().int().min(1).nullish(),
  })
  .superRefine((alert, context) => {
    if (alert.channel === undefined) context.addIssue({ code: "custom", path: ["channel"], message: "Required" });
    checkCondition(alert, context);
  });

export type ManagedAlert = z.output<typeof managedAlertSchema>;
