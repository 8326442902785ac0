import { createHash } from "node:crypto";
import { z } from "zod";
import { Refusal } from "../errors.ts";
import type { SandboxRecord } from "../store/record.ts";
import { parse } from "../schema/parse.ts";
import type { Call, Route, Stack } from "../routes/route.ts";

const MAX_BUCKETS = 1000;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const GROUPS = ["api", "web"];

/** Chart series: a query over POST, only on self-hosted (docs/api.md#series). */
export function chartSeriesRoutes(stack: Stack): readonly Route[] {
  return [{ method: "POST", path: "charts/series", writes: false, handle: (call) => query(stack, call) }];
}

const series = z.object({
  sourceId: z.string(),
  aggFn: z.string(),
  where: z.string().default(""),
  whereLanguage: z.enum(["sql", "lucene"]).optional(),
  groupBy: z.array(z.string()).default([]),
});

/** A query for time series; the order of the members is that of reported faults. */
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

function query({ store }: Stack, { body }: Call) {
  const query = parse(chartSeriesSchema, body, "Body");
  const sources = query.series.map(({ sourceId }) => store.sources.get(sourceId));
  const missing = query.series.filter((_, index) => sources[index] === undefined).map(({ sourceId }) => sourceId);
  if (missing.length > 0) {
    throw new Refusal(400, `Could not find the following source IDs: ${[...new Set(missing)].join(", ")}`);
  }
  const groups = query.series.some(({ groupBy }) => groupBy.length > 0) ? GROUPS.map((name) => [name]) : [[]];
  const rows = buckets(query).flatMap((at) => groups.map((group) => row(query, sources, at, group)));
  return { is: "record", record: rows } as const;
}

/** The starts of the buckets. If there would be too many, the step grows to a multiple of the granularity. */
function buckets({ startTime, endTime, granularity }: ChartQuery): readonly number[] {
  const [, amount = "1", unit = "m"] = /^(\d+) ?([smhd])/.exec(granularity) ?? [];
  const wanted = Math.max(1, Number(amount)) * (UNIT_MS[unit] ?? 60_000);
  const range = Math.max(0, endTime - startTime);
  const step = wanted * Math.max(1, Math.ceil(range / wanted / MAX_BUCKETS));
  return Array.from({ length: Math.ceil(range / step) }, (_, index) => startTime + index * step);
}

function row(
  { series }: ChartQuery,
  sources: readonly (SandboxRecord | undefined)[],
  at: number,
  group: readonly string[],
) {
  const values = series.map(({ aggFn, where }, index) => {
    const name = String(sources[index]?.["name"]);
    return [`series_${index}.data`, believableValue(JSON.stringify([name, aggFn, where, group, at]), at)] as const;
  });
  return { ts_bucket: at, ...Object.fromEntries(values), group };
}

/** A daily wave with some noise. It depends on the source's name, not on its id, so it is equal on every start. */
function believableValue(seed: string, at: number): number {
  const noise = createHash("sha256").update(seed).digest().readUInt16BE(0) % 40;
  return Math.round(100 + 60 * Math.sin((at / 86_400_000) * 2 * Math.PI) + noise);
}
