import { z } from "zod";

const optional = z.string().optional();
const oneOrMore = (message: string) => z.string().refine((text) => text !== "", message);
const expression = z.string().min(1);
const granularity = z.string().regex(/^\d+[smhd]$/, "Invalid");

const common = {
  connection: z.string(),
  from: z.object({ databaseName: z.string().min(1), tableName: oneOrMore("Table is required") }),
  disabled: z.boolean().default(false),
  querySettings: z
    .array(z.object({ setting: z.string(), value: z.string() }))
    .max(10)
    .default([]),
  timestampValueExpression: expression,
};

function head<Kind extends string>(kind: Kind) {
  return {
    name: oneOrMore("Name is required"),
    section: z.string().max(256).optional(),
    kind: z.literal(kind),
    ...common,
  };
}

const highlighted = z
  .array(z.object({ sqlExpression: z.string(), luceneExpression: optional, alias: optional }))
  .default([]);

const materializedView = z.object({
  databaseName: z.string(),
  tableName: z.string(),
  dimensionColumns: z.string(),
  minGranularity: granularity,
  minDate: optional,
  timestampColumn: z.string(),
  aggregatedColumns: z.array(z.object({ sourceColumn: optional, aggFn: z.string(), mvColumn: z.string() })),
});

/** What logs and traces end with. */
const views = {
  highlightedTraceAttributeExpressions: highlighted,
  highlightedRowAttributeExpressions: highlighted,
  materializedViews: z.array(materializedView).default([]),
  metadataMaterializedViews: z.object({ keyRollupTable: optional, kvRollupTable: z.string(), granularity }).optional(),
  orderByExpression: optional,
  useTextIndexForImplicitColumn: z.enum(["auto", "enabled", "disabled"]).optional(),
};

const log = z.object({
  ...head("log"),
  defaultTableSelectExpression: expression,
  serviceNameExpression: optional,
  serviceVersionExpression: optional,
  severityTextExpression: optional,
  bodyExpression: optional,
  eventAttributesExpression: optional,
  resourceAttributesExpression: optional,
  displayedTimestampValueExpression: optional,
  metricSourceId: optional,
  traceSourceId: optional,
  traceIdExpression: optional,
  spanIdExpression: optional,
  implicitColumnExpression: optional,
  knownColumnsListExpression: optional,
  tableFilterExpression: optional,
  ...views,
});

const trace = z.object({
  ...head("trace"),
  defaultTableSelectExpression: expression,
  durationExpression: expression,
  durationPrecision: z.number().int().min(0).max(9).default(3),
  traceIdExpression: expression,
  spanIdExpression: expression,
  parentSpanIdExpression: expression,
  spanNameExpression: expression,
  spanKindExpression: expression,
  sampleRateExpression: optional,
  logSourceId: z.string().nullish(),
  sessionSourceId: optional,
  metricSourceId: optional,
  statusCodeExpression: optional,
  statusMessageExpression: optional,
  serviceNameExpression: optional,
  serviceVersionExpression: optional,
  resourceAttributesExpression: optional,
  eventAttributesExpression: optional,
  spanEventsValueExpression: optional,
  spanLinksValueExpression: optional,
  implicitColumnExpression: optional,
  knownColumnsListExpression: optional,
  displayedTimestampValueExpression: optional,
  ...views,
});

const metricTables = z
  .object({ gauge: optional, histogram: optional, sum: optional, summary: optional, "exponential histogram": optional })
  .refine(
    (tables) => Object.values(tables).some((table) => table !== ""),
    "At least one metric table must be specified",
  );

const metric = z.object({
  ...head("metric"),
  // The tables are those of the member below (recording 354).
  from: z.object({ databaseName: z.string().min(1), tableName: z.string() }),
  metricTables,
  resourceAttributesExpression: expression,
  serviceNameExpression: optional,
  logSourceId: optional,
  seriesTable: optional,
});

const session = z.object({
  ...head("session"),
  traceSourceId: z.custom<string>((id) => typeof id === "string" && id !== "", "Correlated Trace Source is required"),
  resourceAttributesExpression: optional,
});

const KINDS = [log, trace, session, metric, z.object(head("promql"))] as const;
const expected = KINDS.map(({ shape }) => `'${shape.kind.value}'`).join(" | ");

/**
 * The body of a create and of an update: an update replaces the whole source. Members are in the order in which the
 * servers show them and report their faults (recordings 350 to 376).
 */
export const sourceSchema = z.discriminatedUnion("kind", KINDS, {
  error: `Invalid discriminator value. Expected ${expected}`,
});
