import { messageWithHint, StackferryError } from "../../core/errors.ts";
import type { RunContext } from "../../core/events.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { StackClient } from "../../core/ports.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { textOfMember } from "../../kinds/descriptor-parts.ts";
import { kinds } from "../../kinds/registry.ts";

/** The answer of one source to a query for data. */
export interface ProbedSource {
  readonly name: string;
  readonly id: string;
  /** `empty`: no data of the last day. `not-asked`: a query must name a metric, and nobody knows one. */
  readonly status: "data" | "empty" | "failed" | "not-asked";
  readonly code?: string;
  readonly message?: string;
}

/** The time range of a query: long enough for a source that is written once a day, short enough for a large table. */
const RANGE_MS = 24 * 3_600_000;

/**
 * Queries the data of every source of a self-hosted stack, once each. A failed query is a result, not an error.
 * @param now end of the time range, Unix milliseconds
 */
export async function probeSources(client: StackClient, now: number, context: RunContext): Promise<ProbedSource[]> {
  const sources = await listSources(client, context);
  context.events({ type: "phase", phase: "asking for data", total: sources.length });
  return Promise.all(
    sources.map(async ({ kind, body }): Promise<ProbedSource> => {
      const [id, name] = [textOfMember(body, "id"), kind.nameOf(body)];
      if (kind.queriedAs?.needsMetric(body) === true) return { name, id, status: "not-asked" };
      const member = kind.queriedAs?.member ?? "";
      const series = [{ [member]: id, aggFn: "count", where: "", whereLanguage: "lucene", groupBy: [] }];
      return { name, id, ...(await probe(series, now, client, context)) };
    }),
  );
}

interface ListedBody {
  readonly kind: ResourceKind;
  readonly body: JsonObject;
}

/** Lists what can be queried. A kind that cannot be read has no records here, because the doctor reports it anyway. */
async function listSources(client: StackClient, { signal }: RunContext): Promise<ListedBody[]> {
  const found: ListedBody[] = [];
  for (const kind of kinds.filter(({ queriedAs }) => queriedAs !== undefined)) {
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
