import type { SandboxSeed } from "../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { recordedExchange } from "./recorded-exchanges.ts";

type Body = Readonly<Record<string, unknown>>;

/** One of each kind of source with everything that a server was seen to show. */
const FULL_SOURCES = [351, 353, 355, 357];

/**
 * A self-hosted stack with the sample's records, and besides everything that such stacks have and the description of managed
 * ones does not: members of sources, of tiles and of filters.
 */
export async function everythingSelfHosted(): Promise<SandboxSeed> {
  await using sandbox = await startSandbox({ variant: "self-hosted", seed: "sample" });
  const { sources, dashboards, ...rest } = sandbox.stored();
  const [log] = sources;
  const { id: logs = "", connection } = { ...log };
  const full = FULL_SOURCES.map((number, index) => ({
    ...recordedSource(number, logs),
    name: `Full ${index}`,
    connection,
  }));
  const tile = (config: Body, index: number) => ({
    id: hex(0xf00 + index),
    name: `Tile ${index}`,
    x: 0,
    y: index,
    w: 6,
    h: 3,
    config: { sourceId: logs, ...config },
  });
  const select = [{ aggFn: "count", valueExpression: "" }];
  const more = {
    id: hex(0xe00),
    name: "What only such a stack shows",
    tags: [],
    tiles: [
      { displayType: "line", select, seriesLimit: 5 },
      { displayType: "stacked_bar", select, seriesLimit: 5 },
      { displayType: "number", select, groupBy: "ServiceName" },
    ].map(tile),
    filters: [
      {
        type: "QUERY_EXPRESSION",
        id: hex(0xd00),
        name: "Service",
        expression: "ServiceName",
        sourceId: logs,
        isVariableEnabled: true,
      },
    ],
    savedFilterValues: [],
  };
  return { ...rest, sources: [...sources, ...full], dashboards: [...dashboards, more] };
}

/** A recorded source that links to those of the sample. */
function recordedSource(number: number, logs: string): Body & { readonly id: string } {
  const { data } = recordedExchange(number).response.body as { readonly data: Body & { readonly id: string } };
  const links = Object.keys(data).filter((member) => member.endsWith("SourceId"));
  return { ...data, ...Object.fromEntries(links.map((member) => [member, logs])) };
}

function hex(number: number): string {
  return number.toString(16).padStart(24, "0");
}
