import { StackferryError } from "../../core/errors.ts";
import type { RunContext } from "../../core/events.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { isJsonArray, isJsonObject } from "../../core/json.ts";
import type { Match } from "../../core/importing/plan.ts";
import type { Clock, StackClient } from "../../core/ports.ts";
import { findKind } from "../../kinds/registry.ts";

/** Whether one source of the target has data. */
export interface Probe {
  readonly name: string;
  readonly targetId: string;
  /** `empty`: it responds, but has nothing in the last day. */
  readonly status: "data" | "empty" | "failed";
  readonly code?: string;
  readonly message?: string;
}

export interface ProbeInput {
  /** Self-hosted: a managed stack answers no chart queries (contract 1). */
  readonly client: StackClient;
  readonly matches: readonly Match[];
  readonly clock: Clock;
}

/** Long enough for a source that is written once a day, short enough for a query over a large table. */
const RANGE_MS = 24 * 3_600_000;

/** Queries the data of every matched source of the target, once each. A source that fails is a result, not an error. */
export async function probeSources(input: ProbeInput, context: RunContext): Promise<Probe[]> {
  const wanted = new Map(
    input.matches.flatMap(({ space, to, targetName: name }): [string, Probed][] => {
      const member = findKind(space)?.queriedAs;
      return member === undefined ? [] : [[`${space} ${to}`, { targetId: to, name, member }]];
    }),
  );
  context.events({ type: "phase", phase: "probing", total: wanted.size });
  return Promise.all([...wanted.values()].map((each) => probe(each, input, context)));
}

interface Probed extends Pick<Probe, "name" | "targetId"> {
  /** Of a chart query: what names it. */
  readonly member: string;
}

async function probe(
  { targetId, name, member }: Probed,
  { client, clock }: ProbeInput,
  { signal }: RunContext,
): Promise<Probe> {
  const endTime = clock.now();
  const series = [{ [member]: targetId, aggFn: "count", where: "", whereLanguage: "lucene", groupBy: [] }];
  try {
    const response = await client.querySeries(
      { startTime: endTime - RANGE_MS, endTime, granularity: "1h", series },
      signal,
    );
    return { name, targetId, status: holdsData(response) ? "data" : "empty" };
  } catch (error) {
    if (!(error instanceof StackferryError) || error.code === "interrupted") throw error;
    return { name, targetId, status: "failed", code: error.code, message: error.message };
  }
}

/** Rows without a count, or with a count of nothing, are what an empty table gives. */
function holdsData({ data }: JsonObject): boolean {
  return isJsonArray(data) && data.some((row) => isJsonObject(row) && Object.entries(row).some(isCount));
}

function isCount([member, value]: readonly [string, JsonValue | undefined]): boolean {
  return member.startsWith("series_") && Number(value) > 0;
}
