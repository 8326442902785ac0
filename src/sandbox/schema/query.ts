import { z } from "zod";

/** The query of a paged list (field notes, Lists; recording 32). */
export const pageSchema = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(1000),
  offset: z.coerce.number().int().min(0).default(0),
});

const series = z.object({
  sourceId: z.string(),
  aggFn: z.string(),
  where: z.string().default(""),
  whereLanguage: z.enum(["sql", "lucene"]).optional(),
  groupBy: z.array(z.string()).default([]),
});

/** A query for time series (contract 2.5); members in the order in which faults are reported (recording 74). */
export const chartSeriesSchema = z.object({
  series: z.array(series).refine((list) => list.length > 0, "Series array cannot be empty"),
  endTime: z.number(),
  startTime: z.number(),
  granularity: z
    .string()
    .regex(/^\d{1,6} ?(?:s|m|h|d|second|minute|hour|day)s?$/, "Invalid granularity")
    .default("1m"),
});

export type ChartQuery = z.output<typeof chartSeriesSchema>;
