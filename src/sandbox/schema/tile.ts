import { z } from "zod";
import { tileConfigSchema } from "./tile-config.ts";

const legacySeries = z.object({
  type: z.enum(["time", "table", "number"]),
  sourceId: z.string(),
  displayType: z.enum(["line", "stacked_bar"]).optional(),
  aggFn: z.string(),
  field: z.string().optional(),
  level: z.number().optional(),
  where: z.string().default(""),
  whereLanguage: z.enum(["sql", "lucene"]).optional(),
  groupBy: z.array(z.string()).optional(),
});

export type LegacySeries = z.output<typeof legacySeries>;

/** A tile as it is sent; the bounds are those of recordings 57 and 203. */
export const tileSchema = z
  .object({
    name: z.string(),
    x: z.number().min(0).max(23),
    y: z.number().min(0),
    w: z.number().min(1).max(24),
    h: z.number().min(1),
    config: tileConfigSchema.optional(),
    series: z.array(legacySeries).min(1).optional(),
    containerId: z.string().optional(),
    tabId: z.string().optional(),
    id: z.string().optional(),
  })
  .refine(({ config, series }) => (config === undefined) !== (series === undefined), {
    message: "Provide either config or series",
  });

export type Tile = z.output<typeof tileSchema>;
