import { z } from "zod";
import type { KindName } from "../../core/records/record.ts";
import { kinds } from "../../kinds/registry.ts";

const text = z.string();
const texts = z.array(text);
const number = z.number();

const byId = z.strictObject({ id: text.min(1).describe("An id of the stack, where it has no name to go by") });

function reference(what: string) {
  return z.union([text.min(1), byId]).describe(`Name or key of ${what}`);
}

const webhookReference = z
  .union([text.min(1), z.strictObject({ service: text, name: text }), byId])
  .describe("The webhook, by service and name");

const language = z.enum(["lucene", "sql"]);
const key = text.min(1).optional().describe("What references say, where the name does not tell it from others");
const tags = texts.optional();
const source = reference("a source");

const config = z.looseObject({
  displayType: text
    .optional()
    .describe("line, stacked_bar, table, number, pie, bar, heatmap, search, event_patterns or markdown"),
  configType: text.optional().describe("sql for a query of its own; builder by default"),
  source: source.optional(),
  connection: reference("a connection").optional(),
  select: z.union([text, z.array(z.looseObject({}))]).optional(),
  where: text.optional(),
  whereLanguage: language.optional().describe("lucene by default"),
  groupBy: text.optional(),
  sqlTemplate: text.optional(),
  markdown: text.optional(),
});

const tile = z.looseObject({
  name: text.optional(),
  x: number.min(0).describe("Column, from 0 to 23"),
  y: number.min(0).describe("Row"),
  w: number.describe("Width in columns, up to 24"),
  h: number.describe("Height in rows"),
  containerId: text.optional(),
  tabId: text.optional(),
  config: config.optional(),
});

const filter = z.looseObject({
  type: text,
  name: text,
  expression: text,
  source: source.optional(),
  appliesToSources: z.array(source).optional(),
  where: text.optional(),
  whereLanguage: language.optional(),
});

const channel = z.looseObject({ type: text, webhook: webhookReference.optional() });

const shapes: Readonly<Record<KindName, z.ZodRawShape>> = {
  dashboards: {
    name: text,
    key,
    tags,
    savedQuery: text.optional(),
    savedQueryLanguage: language.optional(),
    savedFilterValues: z.array(z.looseObject({})).optional(),
    filters: z.array(filter).optional(),
    containers: z.array(z.looseObject({ id: text, title: text })).optional(),
    tiles: z.array(tile).optional(),
  },
  alerts: {
    name: text.optional(),
    key,
    message: text.optional(),
    note: text.optional(),
    source: text.describe("tile or saved_search"),
    dashboard: reference("the dashboard").optional(),
    tile: z
      .union([text, z.int().min(1), byId])
      .optional()
      .describe("Name of the tile, or its position from 1"),
    savedSearch: reference("the saved search").optional(),
    groupBy: text.optional(),
    thresholdType: text.describe(
      "above, below, above_exclusive, below_or_equal, equal, not_equal, between, not_between",
    ),
    threshold: number,
    thresholdMax: number.optional(),
    interval: text.describe("1m, 5m, 15m, 30m, 1h, 6h, 12h or 1d"),
    numConsecutiveWindows: number.optional(),
    scheduleOffsetMinutes: number.optional(),
    scheduleStartAt: text.optional(),
    channel: channel.optional(),
    channels: z.array(channel).optional(),
  },
  sources: {
    name: text,
    key,
    section: text.optional(),
    kind: text.describe("log, trace, session, metric or promql"),
    connection: reference("a connection").optional(),
    from: z.looseObject({ databaseName: text.optional(), tableName: text.optional() }).optional(),
    timestampValueExpression: text.optional(),
    logSource: source.optional(),
    traceSource: source.optional(),
    metricSource: source.optional(),
    sessionSource: source.optional(),
  },
  webhooks: {
    name: text,
    key,
    service: text,
    description: text.optional(),
    url: text.optional(),
    body: text.optional(),
  },
  "saved-searches": {
    name: text,
    key,
    tags,
    source,
    select: text.optional(),
    where: text.optional(),
    whereLanguage: language.optional(),
    orderBy: text.optional(),
    filters: z.array(z.looseObject({ type: text.optional(), condition: text })).optional(),
  },
  connections: { name: text, key, host: text.optional(), username: text.optional() },
  pipes: {
    name: text.optional(),
    key,
    source: z.looseObject({}).optional(),
    destination: z.looseObject({}).optional(),
  },
};

const schemas = new Map(kinds.map(({ name }) => [name, z.looseObject(shapes[name] ?? { name: text.optional(), key })]));

/** What may stand in the files of a kind. Loose: a newer server has members that this program does not know. */
export function codeSchema(kind: KindName): z.ZodType {
  return schemas.get(kind) ?? z.looseObject({});
}

/** The members that are known of a record's file, and of its children by the member that holds them. */
export function knownMembers(kind: KindName): ReadonlyMap<string, readonly string[]> {
  const own = Object.keys(schemas.get(kind)?.shape ?? {});
  const children =
    kind === "dashboards"
      ? ([
          ["tiles", Object.keys(tile.shape)],
          ["filters", Object.keys(filter.shape)],
        ] as const)
      : [];
  return new Map<string, readonly string[]>([["", own], ...children]);
}

/** The JSON Schema of a kind's files, as the package ships it. Draft 7 is what YAML editors read best. */
export function codeJsonSchema(kind: KindName): Readonly<Record<string, unknown>> {
  const { $schema, ...schema } = z.toJSONSchema(codeSchema(kind), { io: "input", target: "draft-7" });
  return {
    $schema,
    title: kind,
    description: `One of the ${kind} of a stack, as stackferry apply reads it`,
    ...schema,
  };
}
