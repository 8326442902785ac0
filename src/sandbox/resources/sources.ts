import { z } from "zod";
import { Refusal } from "../http/envelope.ts";
import { oncePerVariant, recordRoutes, showRecords, type Stack } from "./route.ts";
import { mayReferenceConnection } from "./dashboard-references.ts";
import { omitMembers, type SandboxRecord } from "../store.ts";
import { aggregateSchema } from "./tiles.ts";

/** The server deletes a source even if records reference the source (docs/api.md#sources). */
export const sourceRoutes = recordRoutes("sources", {
  schema: ({ variant }) => sourceSchema(variant),
  record: sourceRecord,
  visible,
  list: ({ store }) => ({ is: "list", records: showRecords([...store.sources.values()], visible) }),
});

interface Source {
  readonly kind: string;
  readonly connection: string;
  readonly [member: string]: unknown;
}

const oneOrMore = (message: string) => z.string().refine((text) => text !== "", message);

/** Responses show `15 minute` as `15m` (recordings 2052 to 2071). */
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

/** As in the description of the managed service. */
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

function viewMembers(isManaged: boolean) {
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

const databaseName = oneOrMore("Database is required");
const filledSetting = z.object({ setting: z.string().min(1), value: z.string().min(1) });
const traceSourceId = z.custom<string>(
  (id) => typeof id === "string" && id !== "",
  "Correlated Trace Source is required",
);

/** In the order of responses and of reported mistakes. */
const sourceSchema = oncePerVariant((variant): z.ZodType<Source> => schemaOf(variant === "managed"));

function schemaOf(isManaged: boolean) {
  const parts = createParts(isManaged);
  const promql = z.object(parts.head("promql"));
  const kinds = [logSource(parts), traceSource(parts), sessionSource(parts), metricSource(parts), promql] as const;
  const kindNames = kinds.map(({ shape }) => `'${shape.kind.value}'`).join(" | ");
  return z.discriminatedUnion("kind", kinds, { error: `Invalid discriminator value. Expected ${kindNames}` });
}

type Parts = ReturnType<typeof createParts>;

function createParts(isManaged: boolean) {
  const optional = isManaged ? z.string().nullish() : z.string().optional();
  const onlySelfHosted = (members: z.core.$ZodLooseShape) => (isManaged ? {} : members);
  const onlyManaged = (members: z.core.$ZodLooseShape) => (isManaged ? members : {});
  const head = <Kind extends string>(kind: Kind) => ({
    // On managed stacks, an `id` in the body has no effect.
    ...onlyManaged({ id: z.string().optional() }),
    name: oneOrMore("Name is required"),
    section: z.string().max(256).optional(),
    kind: z.literal(kind),
    connection: oneOrMore("Server Connection is required"),
    from: z.object({ databaseName, tableName: oneOrMore("Table is required") }),
    disabled: (isManaged ? z.boolean().nullable() : z.boolean()).default(false),
    querySettings: z
      .array(isManaged ? z.object({ setting: z.string(), value: z.string() }) : filledSetting)
      .max(10)
      .default([]),
    timestampValueExpression: oneOrMore("Timestamp Column is required"),
  });
  return { isManaged, optional, onlySelfHosted, onlyManaged, head };
}

function logSource(parts: Parts) {
  const { optional, onlySelfHosted } = parts;
  return z.object({
    ...parts.head("log"),
    defaultTableSelectExpression: oneOrMore("Default Select Expression is required"),
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
    ...viewMembers(parts.isManaged),
  });
}

function traceSource(parts: Parts) {
  const { isManaged, optional, onlySelfHosted } = parts;
  return z.object({
    ...parts.head("trace"),
    defaultTableSelectExpression: oneOrMore("Default Select Expression is required"),
    durationExpression: oneOrMore("Duration Expression is required"),
    durationPrecision: (isManaged ? z.number().int() : z.number()).min(0).max(9).default(3),
    traceIdExpression: oneOrMore("Trace ID Expression is required"),
    spanIdExpression: oneOrMore("Span ID Expression is required"),
    parentSpanIdExpression: oneOrMore("Parent span ID expression is required"),
    spanNameExpression: oneOrMore("Span Name Expression is required"),
    spanKindExpression: oneOrMore("Span Kind Expression is required"),
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
    ...viewMembers(parts.isManaged),
  });
}

function metricSource({ isManaged, optional, onlySelfHosted, head }: Parts) {
  const table = z.string().optional();
  const metricTables = z
    .object({ gauge: table, histogram: table, sum: table, summary: table, "exponential histogram": table })
    .refine(
      (tables) => Object.values(tables).some((name) => name !== ""),
      "At least one metric table must be specified",
    );
  return z.object({
    ...head("metric"),
    // Metric sources have their tables in `metricTables`, so the table name may be empty.
    from: z.object({ databaseName, tableName: isManaged ? optional : z.string() }),
    metricTables,
    resourceAttributesExpression: oneOrMore("Resource Attributes is required"),
    ...onlySelfHosted({ serviceNameExpression: optional }),
    logSourceId: optional,
    ...onlySelfHosted({ seriesTable: optional }),
  });
}

function sessionSource({ onlySelfHosted, onlyManaged, optional, head }: Parts) {
  return z.object({
    ...head("session"),
    ...onlyManaged({ timestampValueExpression: z.string().nullish() }),
    traceSourceId,
    ...onlySelfHosted({ resourceAttributesExpression: optional }),
  });
}

/** A source without a name cannot be returned, although other records can reference it. */
function visible(source: SandboxRecord): object | undefined {
  return source["name"] === "" ? undefined : source;
}

/** An update drops omitted members, and can change the kind. Ids of other sources are not checked. */
function sourceRecord(body: Source, stack: Stack, stored?: SandboxRecord): SandboxRecord {
  if (!stack.ids.isId(body.connection)) throw new Refusal(400, "connection must be a valid connection id");
  if (!mayReferenceConnection(stack, body.connection))
    throw new Refusal(400, "connection must be an existing connection id");
  return { id: stored?.id ?? stack.ids.id(), ...omitMembers(body, ["id"]) };
}
