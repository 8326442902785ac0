import { z } from "zod";
import { aggregateSchema } from "./tiles.ts";

/** Returns the schema of a text that must not be empty, with the server's message. */
export const oneOrMore = (message: string) => z.string().refine((text) => text !== "", message);

/** A span of time: `15m`, or `15 minute`, which responses show as `15m` (recordings 2052 to 2071). */
const granularity = z
  .string()
  .regex(/^\d+(?:[smhd]| (?:second|minute|hour|day))$/, "Invalid")
  .transform((text) => text.replace(/ (.).*/, "$1"));

const viewColumn = z
  .object({
    sourceColumn: z.string().optional(),
    aggFn: z.enum([...aggregateSchema.options, "histogram"]),
    mvColumn: oneOrMore("Materialized View Column is required"),
  })
  .refine(
    ({ aggFn, sourceColumn }) => aggFn === "count" || Boolean(sourceColumn),
    "Materialized View Source Column is required",
  );

/** The views of a source, as self-hosted stacks check them. */
const selfHostedViews = {
  view: z.object({
    databaseName: oneOrMore("Materialized View Database is required"),
    tableName: oneOrMore("Materialized View Table is required"),
    dimensionColumns: z.string(),
    minGranularity: granularity,
    minDate: z.iso.datetime("Invalid datetime").nullish(),
    timestampColumn: oneOrMore("Materialized View Timestamp column is required"),
    aggregatedColumns: z
      .array(viewColumn)
      .refine((columns) => columns.length > 0, "At least one aggregated column is required"),
  }),
  rollups: z
    .object({
      keyRollupTable: z.string().nullish(),
      kvRollupTable: oneOrMore("KV rollup table name is required"),
      granularity,
    })
    .optional(),
};

const text = z.string();
const nullable = text.nullish();

/** The views of a source, as the description of the managed service has them. */
const managedViews = {
  view: z.object({
    databaseName: text,
    tableName: text,
    dimensionColumns: text,
    minGranularity: text,
    minDate: nullable,
    timestampColumn: text,
    aggregatedColumns: z.array(z.object({ sourceColumn: nullable, aggFn: text, mvColumn: text })),
  }),
  rollups: z.object({ keyRollupTable: text, kvRollupTable: text, granularity: text }).partial().nullish(),
};

const filterSettings = z.object({
  databaseName: text,
  tableName: text,
  columns: z.array(z.object({ name: text, label: text })),
});

/** Returns the members at the end of a source of logs or of traces. */
export function viewMembers(isManaged: boolean) {
  const optional = isManaged ? nullable : text.optional();
  const sqlExpression = isManaged ? text : oneOrMore("Attribute SQL Expression is required");
  const highlighted = z.array(z.object({ sqlExpression, luceneExpression: optional, alias: optional })).default([]);
  const { view, rollups } = isManaged ? managedViews : selfHostedViews;
  const useTextIndex = z.enum(["auto", "enabled", "disabled"]);
  return {
    highlightedTraceAttributeExpressions: highlighted,
    highlightedRowAttributeExpressions: highlighted,
    materializedViews: z.array<z.ZodType>(view).default([]),
    metadataMaterializedViews: rollups,
    ...(!isManaged && { orderByExpression: optional }),
    useTextIndexForImplicitColumn: isManaged ? useTextIndex.nullish() : useTextIndex.optional(),
    ...(isManaged && { filterSettings: filterSettings.nullish() }),
  };
}
