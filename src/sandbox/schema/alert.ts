import { z } from "zod";
import { INTERVALS, THRESHOLD_TYPES, checkChannels, checkCondition } from "./alert-condition.ts";

const channel = z.object({ type: z.literal("webhook"), webhookId: z.string() });

const watched = z.union([
  z.object({ source: z.literal("tile"), dashboardId: z.string(), tileId: z.string() }),
  z.object({ source: z.literal("saved_search"), savedSearchId: z.string(), groupBy: z.string().optional() }),
]);

const condition = z.object({
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

/** The body of a create or an update on self-hosted. */
export const alertSchema = z.intersection(condition, watched).superRefine((alert, context) => {
  checkChannels(alert, context);
  checkCondition(alert, context);
});

export type Alert = z.output<typeof alertSchema>;
