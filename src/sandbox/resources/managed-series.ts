import { z } from "zod";
import { managedNumberFormat } from "./managed-tile.ts";
import * as words from "./words.ts";

const value = {
  sourceId: z.string(),
  aggFn: z.enum(words.AGGREGATES),
  level: z.number().optional(),
  field: z.string().optional(),
  alias: z.string().optional(),
  where: z.string(),
  whereLanguage: z.enum(["sql", "lucene"]),
  numberFormat: managedNumberFormat,
  metricDataType: z.enum(words.METRIC_TYPES).optional(),
  metricName: z.string().optional(),
};
const groupBy = z.array(z.string());

/** The older way to say what a tile shows, as the managed service's owner describes it. */
export const managedSeriesSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("time"),
    ...value,
    groupBy,
    displayType: z.enum(["stacked_bar", "line"]).optional(),
  }),
  z.object({ type: z.literal("table"), ...value, groupBy, sortOrder: z.enum(["desc", "asc"]).optional() }),
  z.object({ type: z.literal("number"), ...value }),
  z.object({
    type: z.literal("search"),
    sourceId: z.string(),
    fields: z.array(z.string()),
    where: z.string(),
    whereLanguage: z.enum(["sql", "lucene"]),
  }),
  z.object({ type: z.literal("markdown"), content: z.string() }),
]);
