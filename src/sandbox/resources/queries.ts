import { z } from "zod";
import { Refusal } from "../http/envelope.ts";
import { parseOrRefuse } from "../schema.ts";
import { parseBody, type RouteCall, type Route, type Stack } from "./route.ts";

const MAX_BUCKETS = 1000;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const GROUPS = ["api", "web"];

/** Only on self-hosted stacks (docs/api.md#series). */
export const queryRoutes: readonly Route[] = [
  { method: "POST", path: "charts/series", writes: false, handle: chartSeries },
  { method: "POST", path: "search", writes: false, handle: search },
];

const series = z.object({
  sourceId: z.string(),
  aggFn: z.string(),
  where: z.string().default(""),
  whereLanguage: z.enum(["sql", "lucene"]).optional(),
  groupBy: z.array(z.string()).default([]),
});

const chartSeriesSchema = z.object({
  series: z.array(series).refine((list) => list.length > 0, "Series array cannot be empty"),
  endTime: z.number(),
  startTime: z.number(),
  granularity: z
    .string()
    .regex(/^\d{1,6} ?(?:s|m|h|d|second|minute|hour|day)s?$/, "Invalid granularity")
    .default("1m"),
});

type ChartQuery = z.output<typeof chartSeriesSchema>;

function chartSeries({ store }: Stack, { body }: RouteCall) {
  const query = parseOrRefuse(chartSeriesSchema, body, "Body");
  const missingIds = query.series.map(({ sourceId }) => sourceId).filter((id) => !store.sources.has(id));
  if (missingIds.length > 0) {
    throw new Refusal(400, `Could not find the following source IDs: ${[...new Set(missingIds)].join(", ")}`);
  }
  const groups = query.series.some(({ groupBy }) => groupBy.length > 0) ? GROUPS.map((name) => [name]) : [[]];
  const rows = buckets(query).flatMap((bucketStart) => groups.map((group) => row(query, bucketStart, group)));
  return { is: "record", record: rows } as const;
}

function buckets({ startTime, endTime, granularity }: ChartQuery): readonly number[] {
  const [, amount = "1", unit = "m"] = /^(\d+) ?([smhd])/.exec(granularity) ?? [];
  const width = Math.max(1, Number(amount)) * (UNIT_MS[unit] ?? 60_000);
  const range = Math.max(0, endTime - startTime);
  const step = width * Math.max(1, Math.ceil(range / width / MAX_BUCKETS));
  return Array.from({ length: Math.ceil(range / step) }, (_, index) => startTime + index * step);
}

/** The values depend on the time of day, so they are the same on every start of the sandbox. */
function row({ series }: ChartQuery, bucketStart: number, group: readonly string[]) {
  const value = Math.round(100 + 60 * Math.sin((bucketStart / 86_400_000) * 2 * Math.PI));
  const values = series.map((_, index) => [`series_${index}.data`, value]);
  return { ts_bucket: bucketStart, ...Object.fromEntries(values), group };
}

const ROW_EVERY_MS = 2000;
const HOUR_MS = 3_600_000;
const SELECT_RULE =
  "select must not contain semicolons or SELECT subqueries; use column references, map lookups, or scalar functions only";

function searchSchema({ ids }: Stack) {
  return z.object({
    sourceId: z.string().refine((id) => ids.isId(id), `sourceId must be a valid ${ids.form}`),
    startTime: z.iso.datetime("Invalid datetime").optional(),
    endTime: z.iso.datetime("Invalid datetime").optional(),
    where: z.string().default(""),
    whereLanguage: z.enum(["lucene", "sql"]).default("lucene"),
    select: z
      .string()
      .refine((text) => !/;|\bselect\b/i.test(text), SELECT_RULE)
      .default(""),
    orderBy: z.string().default(""),
    maxResults: z.number().int().min(1).max(2000).default(100),
    offset: z.number().int().min(0).default(0),
  });
}

/** The conditions, columns and order of the query have no effect. */
function search(stack: Stack, { body }: RouteCall) {
  const { sourceId, startTime, endTime, maxResults, offset } = parseBody(stack, searchSchema(stack), body);
  const end = endTime === undefined ? stack.now() : Date.parse(endTime);
  const start = startTime === undefined ? end - HOUR_MS : Date.parse(startTime);
  if (end <= start) throw new Refusal(400, "endTime must be greater than startTime");
  const source = stack.store.sources.get(sourceId);
  if (source === undefined) throw new Refusal(404, `Source not found: ${sourceId}`);
  const rowsLeft = Math.floor((end - start) / ROW_EVERY_MS) - offset;
  const { timestampValueExpression: column } = source;
  const rows = Array.from({ length: Math.max(0, Math.min(maxResults, rowsLeft)) }, (_, index) => ({
    [typeof column === "string" ? column : "Timestamp"]: new Date(end - (offset + index) * ROW_EVERY_MS)
      .toISOString()
      .replace("T", " ")
      .replace("Z", "000000"),
    Body: `row ${offset + index}`,
  }));
  return { is: "bare", body: { data: rows, rows: rows.length } } as const;
}
