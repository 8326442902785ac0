import { messageWithHint, StackferryError } from "../../core/errors.ts";
import type { RunContext } from "../../core/events.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { StackClient } from "../../core/ports.ts";
import type { QueriedMetric, ResourceKind } from "../../core/resource-kind.ts";
import { textOfMember } from "../../kinds/descriptor-parts.ts";
import { kinds } from "../../kinds/registry.ts";
import type { ProbedSource } from "../output/doctor.ts";

/** The time range of a query: long enough for a source that is written once a day, short enough for a large table. */
const RANGE_MS = 24 * 3_600_000;

/**
 * Queries the data of every source of a self-hosted stack, once each. A failed query is a result, not an error.
 * @param now end of the time range, Unix milliseconds
 */
export async function probeSources(client: StackClient, now: number, context: RunContext): Promise<ProbedSource[]> {
  const sources = await listRecords(({ queriedAs }) => queriedAs !== undefined, client, context);
  context.events({ type: "phase", phase: "asking for data", total: sources.length });
  const metrics = await metricsToAsk(sources, client, context);
  return Promise.all(
    sources.map(async ({ kind, body }): Promise<ProbedSource> => {
      const [id, name] = [textOfMember(body, "id"), kind.nameOf(body)];
      const metric = metrics.has(id) ? metrics.get(id) : {};
      if (metric === undefined) return { name, id, status: "not-asked" };
      const series = [
        {
          [kind.queriedAs?.member ?? ""]: id,
          aggFn: "count",
          where: "",
          whereLanguage: "lucene",
          groupBy: [],
          ...metric,
        },
      ];
      return { name, id, ...(await probe(series, now, client, context)) };
    }),
  );
}

type Metric = Pick<QueriedMetric, "metricName" | "metricDataType">;

/** A chart query of a metrics source must name a metric; undefined if no tile uses one. */
async function metricsToAsk(
  sources: readonly ListedBody[],
  client: StackClient,
  context: RunContext,
): Promise<Map<string, Metric | undefined>> {
  const needy = sources.flatMap(({ kind, body }) =>
    kind.queriedAs?.needsMetric(body) === true ? [textOfMember(body, "id")] : [],
  );
  const metrics = new Map<string, Metric | undefined>(needy.map((id) => [id, undefined]));
  // The list of dashboards is requested only if there is a metrics source.
  if (metrics.size === 0) return metrics;
  for (const { kind, body } of await listRecords(({ metricsIn }) => metricsIn !== undefined, client, context)) {
    for (const { sourceId, ...metric } of kind.metricsIn?.(body) ?? [])
      if (metrics.has(sourceId)) metrics.set(sourceId, metrics.get(sourceId) ?? metric);
  }
  return metrics;
}

interface ListedBody {
  readonly kind: ResourceKind;
  readonly body: JsonObject;
}

/** Lists the records of kinds. A kind that cannot be read has none here, because the doctor reports it anyway. */
async function listRecords(
  isWanted: (kind: ResourceKind) => boolean,
  client: StackClient,
  { signal }: RunContext,
): Promise<ListedBody[]> {
  const found: ListedBody[] = [];
  for (const kind of kinds.filter(isWanted)) {
    try {
      for await (const page of client.list(kind, signal, () => {}))
        for (const { value } of page) if (isJsonObject(value)) found.push({ kind, body: value });
    } catch (error) {
      if (!(error instanceof StackferryError) || error.code === "interrupted") throw error;
    }
  }
  return found;
}

async function probe(
  series: readonly JsonObject[],
  endTime: number,
  client: StackClient,
  { signal }: RunContext,
): Promise<Pick<ProbedSource, "status" | "code" | "message">> {
  try {
    const response = await client.querySeries(
      { startTime: endTime - RANGE_MS, endTime, granularity: "1h", series },
      signal,
    );
    return { status: holdsData(response) ? "data" : "empty" };
  } catch (error) {
    if (!(error instanceof StackferryError) || error.code === "interrupted") throw error;
    return { status: "failed", code: error.code, message: messageWithHint(error) };
  }
}

/** Tells whether the rows of an answer contain data: an empty table gives rows without a count, or with a count of zero. */
function holdsData({ data }: JsonObject): boolean {
  return isJsonArray(data) && data.some((row) => isJsonObject(row) && Object.entries(row).some(isCount));
}

function isCount([member, value]: readonly [string, JsonValue | undefined]): boolean {
  return member.startsWith("series_") && Number(value) > 0;
}
