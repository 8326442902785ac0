import { z } from "zod";

// Only references are strict. Other objects accept unknown members, because a newer server has more (docs/dashboards-as-code.md).

const text = z.string();
const texts = z.array(text);
const number = z.number();

const byId = z.strictObject({ id: text.min(1).describe("An id of the stack, for a record without a name") });

function reference(what: string) {
  return z.union([text.min(1), byId]).describe(`Name or key of ${what}`);
}

const webhookReference = z
  .union([text.min(1), z.strictObject({ service: text, name: text }), byId])
  .describe("The webhook, by service and name");

// Any text, because a stack may have another language. The server refuses unknown languages.
const language = z.union([z.enum(["lucene", "sql", "promql"]), text]);
const key = text.min(1).optional().describe("Name that references use, if several records have this name");
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
  x: number.describe("Column, from 0 to 23"),
  y: number.describe("Row"),
  w: number.describe("Width in columns, up to 24"),
  h: number.describe("Height in rows"),
  containerId: text.optional(),
  tabId: text.optional(),
  substitute: z
    .boolean()
    .optional()
    .describe(
      "The API showed this chart in place of a tile that it cannot show; delete this line once the tile is right",
    ),
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

export const dashboardFile = {
  name: text,
  key,
  tags,
  savedQuery: text.optional(),
  savedQueryLanguage: language.optional(),
  savedFilterValues: z.array(z.looseObject({})).optional(),
  filters: z.array(filter).optional(),
  containers: z.array(z.looseObject({ id: text, title: text })).optional(),
  tiles: z.array(tile, {
    error: ({ input }) => (input === undefined ? "a dashboard has tiles; write [] if it has none" : undefined),
  }),
} satisfies z.ZodRawShape;

export const alertFile = {
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
  thresholdType: text.describe("above, below, above_exclusive, below_or_equal, equal, not_equal, between, not_between"),
  threshold: number,
  thresholdMax: number.optional(),
  interval: text.describe("1m, 5m, 15m, 30m, 1h, 6h, 12h or 1d"),
  numConsecutiveWindows: number.optional(),
  scheduleOffsetMinutes: number.optional(),
  scheduleStartAt: text.optional(),
  channel: channel.optional(),
  channels: z.array(channel).optional(),
  silenced: z.boolean().optional().describe("The export found the alert silenced; no write can silence an alert"),
} satisfies z.ZodRawShape;

export const sourceFile = {
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
} satisfies z.ZodRawShape;

export const webhookFile = {
  name: text,
  key,
  service: text,
  description: text.optional(),
  url: text.optional(),
  body: text.optional(),
} satisfies z.ZodRawShape;

export const savedSearchFile = {
  name: text,
  key,
  tags,
  source,
  select: text.optional(),
  where: text.optional(),
  whereLanguage: language.optional(),
  orderBy: text.optional(),
  filters: z.array(z.looseObject({ type: text.optional(), condition: text.optional() })).optional(),
} satisfies z.ZodRawShape;

export const connectionFile = {
  name: text,
  key,
  host: text.optional(),
  username: text.optional(),
} satisfies z.ZodRawShape;

export const pipeFile = {
  name: text.optional(),
  key,
  source: z.looseObject({}).optional(),
  destination: z.looseObject({}).optional(),
} satisfies z.ZodRawShape;
