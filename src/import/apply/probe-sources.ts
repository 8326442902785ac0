import { messageWithHint, StackferryError } from "../../core/errors.ts";
import type { RunContext } from "../../core/events.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Match } from "../../core/plan/plan.ts";
import type { Clock, StackClient } from "../../core/ports.ts";
import type { QueriedMetric, ResourceKind } from "../../core/resource-kind.ts";
import { textOfMember } from "../../kinds/descriptor-parts.ts";
import { findKind, kinds } from "../../kinds/registry.ts";

/** The data check of one source of the target. */
export interface SourceProbe {
  readonly name: string;
  readonly targetId: string;
  /** `empty`: no data of the last day. `not-asked`: no tile of the target names a metric that could be queried. */
  readonly status: "data" | "empty" | "failed" | "not-asked";
  readonly code?: string;
  readonly message?: string;
}

export interface ProbeInput {
  /** The client of a self-hosted stack: managed stacks answer no chart queries. */
  readonly client: StackClient;
  readonly matches: readonly Match[];
  readonly clock: Clock;
}

/** The time range of a query: long enough for a source that is written once a day, short enough for a large table. */
const RANGE_MS = 24 * 3_600_000;

/** Queries the data of every matched source of the target, once each. A failed query is a result, not an error. */
export async function probeSources(input: ProbeInput, context: RunContext): Promise<SourceProbe[]> {
  const sourcesToProbe = new Map(
    input.matches.flatMap(({ space, to, targetName: name }): [string, Probed][] => {
      const member = findKind(space)?.queriedAs?.member;
      return member === undefined ? [] : [[`${space} ${to}`, { targetId: to, name, member }]];
    }),
  );
  context.events({ type: "phase", phase: "probing", total: sourcesToProbe.size });
  const metrics = sourcesToProbe.size === 0 ? new Map<string, undefined>() : await metricsToAsk(input, context);
  return Promise.all(
    [...sourcesToProbe.values()].map(async (source) => {
      const { targetId, name } = source;
      const metric = metrics.has(targetId) ? metrics.get(targetId) : {};
      if (metric === undefined) return { name, targetId, status: "not-asked" as const };
      return probe(source, metric, input, context);
    }),
  );
}

type Metric = Pick<QueriedMetric, "metricName" | "metricDataType">;

/**
 * Chooses a metric for each metrics source, because a chart query of such a source must name one; undefined if no tile uses one.
 */
async function metricsToAsk({ client }: ProbeInput, context: RunContext): Promise<Map<string, Metric | undefined>> {
  // The list of dashboards is requested only if there is a metrics source.
  const sources = await listRecords((kind) => kind.queriedAs !== undefined, client, context);
  const needy = sources.flatMap(({ kind, body }) =>
    kind.queriedAs?.needsMetric(body) === true ? [textOfMember(body, "id")] : [],
  );
  const metrics = new Map<string, Metric | undefined>(needy.map((id) => [id, undefined]));
  if (metrics.size === 0) return metrics;
  for (const { kind, body } of await listRecords((kindOfList) => kindOfList.metricsIn !== undefined, client, context)) {
    for (const { sourceId, ...metric } of kind.metricsIn?.(body) ?? [])
      if (metrics.has(sourceId)) metrics.set(sourceId, metrics.get(sourceId) ?? metric);
  }
  return metrics;
}

async function listRecords(
  isWanted: (kind: ResourceKind) => boolean,
  client: StackClient,
  { signal }: RunContext,
): Promise<{ kind: ResourceKind; body: JsonObject }[]> {
  const found: { kind: ResourceKind; body: JsonObject }[] = [];
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

interface Probed extends Pick<SourceProbe, "name" | "targetId"> {
  /** The member of a chart query that names the source. */
  readonly member: string;
}

async function probe(
  { targetId, name, member }: Probed,
  metric: Partial<Metric>,
  { client, clock }: ProbeInput,
  { signal }: RunContext,
): Promise<SourceProbe> {
  const endTime = clock.now();
  const series = [{ [member]: targetId, aggFn: "count", where: "", whereLanguage: "lucene", groupBy: [], ...metric }];
  try {
    const response = await client.querySeries(
      { startTime: endTime - RANGE_MS, endTime, granularity: "1h", series },
      signal,
    );
    return { name, targetId, status: holdsData(response) ? "data" : "empty" };
  } catch (error) {
    if (!(error instanceof StackferryError) || error.code === "interrupted") throw error;
    return { name, targetId, status: "failed", code: error.code, message: messageWithHint(error) };
  }
}

/** Tells whether the rows of an answer contain data: an empty table gives rows without a count, or with a count of zero. */
function holdsData({ data }: JsonObject): boolean {
  return isJsonArray(data) && data.some((row) => isJsonObject(row) && Object.entries(row).some(isCount));
}

function isCount([member, value]: readonly [string, JsonValue | undefined]): boolean {
  return member.startsWith("series_") && Number(value) > 0;
}
