import type { Exporter } from "../../src/backup/backup.ts";
import { StackError, type ErrorCode } from "../../src/core/errors.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { exportToArchive } from "../../src/library/export-archive.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";
import { memoryStack } from "../support/memory-stack.ts";
import { alert, dashboard, hexId, source, webhook } from "../support/stack-records.ts";

/**
 * The conditions under which a run exports the stack. All but `fair` are bad: another address, a wrong key, wrong segments, a
 * revoked permission, hidden kinds, lists with half their records, empty lists, one kind that is lost, and a repository whose
 * disk is not mounted.
 */
export const WEATHERS = [
  "fair",
  "address",
  "key",
  "segments",
  "permission",
  "hidden",
  "half",
  "empty",
  "lost",
  "emptied",
] as const;
export type Weather = (typeof WEATHERS)[number];

type Refusal = readonly [kinds: readonly string[], code: ErrorCode];

const NOTHING: Refusal = [[], "not-offered"];

/** The kinds that the stack refuses under each condition, and with which error. */
const REFUSED: Readonly<Partial<Record<Weather, Refusal>>> = {
  address: [["dashboards", "alerts", "sources", "webhooks"], "not-offered"],
  key: [["dashboards", "alerts", "sources", "webhooks"], "unauthorized"],
  segments: [["dashboards", "alerts", "sources"], "not-offered"],
  permission: [["alerts"], "forbidden"],
  hidden: [["sources", "webhooks"], "not-offered"],
};

/** Returns the number of records in a version of the stack. */
export function recordsOf(version: number): number {
  return dashboardsOf(version).length * 2 + 3;
}

/** Returns an exporter of a stack in this version. It does all that a real export does, but without HTTP. */
export function exporterIn(weather: Weather, version: number): Exporter {
  return async ({ path, stack, createdAt }, context) => {
    const { client } = stackIn(weather, version);
    const { archive, recordsDigest, kinds } = await exportToArchive(
      {
        client,
        settings: {
          stackName: stack,
          identity: client.identity,
          credential: { apiKey: "a-key-of-the-simulation" },
          concurrency: 1,
          consistencyWaitMs: 0,
        },
        path,
        stack,
        format: "zip",
        kinds: [],
        filter: { include: [], exclude: [] },
        allowPartial: false,
        redact: createRedactor(),
        now: createdAt,
      },
      context,
    );
    return { contentDigest: archive.contentDigest, recordsDigest, kinds, source: client.identity };
  };
}

function stackIn(weather: Weather, version: number): ReturnType<typeof memoryStack> {
  const dashboards = dashboardsOf(version);
  const alerts = dashboards.map((body, index) => alert(hexId("c", index), `alert ${index}`, body, hexId("d", 1)));
  const sources = [source(hexId("b", 1), "logs", hexId("e", 1)), source(hexId("b", 2), "traces", hexId("e", 1))];
  const stack = memoryStack({ dashboards, alerts, sources, webhooks: [webhook(hexId("d", 1), "on call")] });
  const [kinds, code] = REFUSED[weather] ?? NOTHING;
  stack.intercept = (operation) => {
    if (!kinds.includes(operation.replace("list ", ""))) return;
    throw new StackError(code, "refused", { method: "GET", path: "/", applied: "no" });
  };
  if (weather === "half") stack.replaceListed = (_, bodies) => bodies.slice(0, Math.floor(bodies.length / 2));
  if (weather === "lost") stack.replaceListed = (kind, bodies) => (kind === "alerts" ? [] : bodies);
  if (weather === "empty") stack.replaceListed = () => [];
  return stack;
}

/**
 * Returns three or four dashboards, each named after the version: few, because a simulation exports them ten thousand times. The
 * number must not vary more: if the stack had grown a lot since the last good backup, half of it could be more than half of that
 * backup.
 */
function dashboardsOf(version: number): JsonObject[] {
  const count = 3 + (version % 2);
  return Array.from({ length: count }, (_, index) => dashboard(hexId("a", index), `version ${version}`, hexId("b", 1)));
}
