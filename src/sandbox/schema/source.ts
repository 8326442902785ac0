import { z } from "zod";
import type { SandboxVariant } from "../variant.ts";

/**
 * The body of a create and of an update: an update replaces the whole source. Members are in the order in which the
 * servers show them and report their faults (recordings 350 to 376). Managed knows fewer of them, and takes null.
 */
export function sourceSchema(variant: SandboxVariant): z.ZodType<Source> {
  return SCHEMAS[variant];
}

/** A source of any kind; what its kind adds is kept as it is. */
export interface Source {
  readonly kind: string;
  readonly connection: string;
  readonly [member: string]: unknown;
}

const oneOrMore = (message: string) => z.string().refine((text) => text !== "", message);
const expression = z.string().min(1);
const granularity = z.string().regex(/^\d+[smhd]$/, "Invalid");
const traceSource = z.custom<string>(
  (id) => typeof id === "string" && id !== "",
  "Correlated Trace Source is required",
);

const SCHEMAS = { "self-hosted": schemaOf(false), managed: schemaOf(true) };

function schemaOf(isManaged: boolean) {
  const optional = isManaged ? z.string().nullish() : z.string().optional();
  const onlySelfHosted = (members: z.core.$ZodLooseShape) => (isManaged ? {} : members);
  const onlyManaged = (members: z.core.$ZodLooseShape) => (isManaged ? members : {});
  const head = <Kind extends string>(kind: Kind) => ({
    // Taken and not looked at.
    ...onlyManaged({ id: z.string().optional() }),
    name: oneOrMore("Name is required"),
    section: z.string().max(256).optional(),
    kind: z.literal(kind),
    connection: z.string(),
    from: z.object({ databaseName: z.string().min(1), tableName: oneOrMore("Table is required") }),
    disabled: (isManaged ? z.boolean().nullable() : z.boolean()).default(false),
    querySettings: z
      .array(z.object({ setting: z.string(), value: z.string() }))
      .max(10)
      .default([]),
    timestampValueExpression: expression,
  });
  const filterSettings = z.object({
    databaseName: z.string(),
    tableName: z.string(),
    columns: z.array(z.object({ name: z.string(), label: z.string() })),
  });
  const highlighted = z
    .array(z.object({ sqlExpression: z.string(), luceneExpression: optional, alias: optional }))
    .default([]);
  const materializedView = z.object({
    databaseName: z.string(),
    tableName: z.string(),
    dimensionColumns: z.string(),
    minGranularity: isManaged ? z.string() : granularity,
    minDate: optional,
    timestampColumn: z.string(),
    aggregatedColumns: z.array(z.object({ sourceColumn: optional, aggFn: z.string(), mvColumn: z.string() })),
  });
  const rollups = isManaged
    ? z.object({ keyRollupTable: z.string(), kvRollupTable: z.string(), granularity: z.string() }).partial().nullish()
    : z.object({ keyRollupTable: z.string().optional(), kvRollupTable: z.string(), granularity }).optional();
  const useTextIndex = z.enum(["auto", "enabled", "disabled"]);
  /** What logs and traces end with. */
  const views = {
    highlightedTraceAttributeExpressions: highlighted,
    highlightedRowAttributeExpressions: highlighted,
    materializedViews: z.array(materializedView).default([]),
    metadataMaterializedViews: rollups,
    ...onlySelfHosted({ orderByExpression: optional }),
    useTextIndexForImplicitColumn: isManaged ? useTextIndex.nullish() : useTextIndex.optional(),
    ...onlyManaged({ filterSettings: filterSettings.nullish() }),
  };

  const log = z.object({
    ...head("log"),
    defaultTableSelectExpression: expression,
    serviceNameExpression: optional,
    ...onlySelfHosted({ serviceVersionExpression: optional }),
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
    ...onlySelfHosted({ tableFilterExpression: optional }),
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
    ...onlySelfHosted({ sampleRateExpression: optional }),
    logSourceId: z.string().nullish(),
    sessionSourceId: optional,
    metricSourceId: optional,
    statusCodeExpression: optional,
    statusMessageExpression: optional,
    serviceNameExpression: optional,
    ...onlySelfHosted({ serviceVersionExpression: optional }),
    resourceAttributesExpression: optional,
    eventAttributesExpression: optional,
    spanEventsValueExpression: optional,
    ...onlySelfHosted({ spanLinksValueExpression: optional }),
    implicitColumnExpression: optional,
    knownColumnsListExpression: optional,
    ...onlySelfHosted({ displayedTimestampValueExpression: optional }),
    ...views,
  });

  const table = z.string().optional();
  const metricTables = z
    .object({ gauge: table, histogram: table, sum: table, summary: table, "exponential histogram": table })
    .refine(
      (tables) => Object.values(tables).some((name) => name !== ""),
      "At least one metric table must be specified",
    );
  const metric = z.object({
    ...head("metric"),
    // The tables are those of the member below (recording 354).
    from: z.object({ databaseName: z.string().min(1), tableName: isManaged ? optional : z.string() }),
    metricTables,
    resourceAttributesExpression: expression,
    ...onlySelfHosted({ serviceNameExpression: optional }),
    logSourceId: optional,
    ...onlySelfHosted({ seriesTable: optional }),
  });

  const session = z.object({
    ...head("session"),
    ...onlyManaged({ timestampValueExpression: z.string().nullish() }),
    traceSourceId: traceSource,
    ...onlySelfHosted({ resourceAttributesExpression: optional }),
  });

  const kinds = [log, trace, session, metric, z.object(head("promql"))] as const;
  const expected = kinds.map(({ shape }) => `'${shape.kind.value}'`).join(" | ");
  return z.discriminatedUnion("kind", kinds, { error: `Invalid discriminator value. Expected ${expected}` });
}
