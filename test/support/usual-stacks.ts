import type { JsonObject } from "../../src/core/json.ts";
import type { MemoryStack } from "./memory-stack.ts";
import { memoryStack } from "./memory-stack.ts";
import type { StackRecord } from "../../src/core/records/record.ts";
import { alert, dashboard, hexId, records, source, webhook } from "./stack-records.ts";

/** The records that the dashboards and alerts of most archives point to. */
export const logs = source(hexId("a", 1), "Logs", hexId("c", 1));
export const hook = webhook(hexId("a", 2), "oncall");

/** The same of the target, under ids of its own. */
export const theirLogs = source(hexId("b", 1), "Logs", hexId("c", 2));
export const theirHook = webhook(hexId("b", 2), "oncall");

/** By side, what dashboards and alerts need. */
export const dependencies = {
  ours: { sources: [logs], webhooks: [hook] },
  theirs: { sources: [theirLogs], webhooks: [theirHook] },
} as const;

/** A dashboard of the archive that is called after its number. */
export const board = (number: number, more: JsonObject = {}): JsonObject =>
  dashboard(hexId("a", number), `Board ${number}`, hexId("a", 1), more);

/** An archive of dashboards and the source that they are on. */
export const archiveOf = (...dashboards: readonly JsonObject[]): StackRecord[] =>
  records({ dashboards, sources: [logs] });

/** A run that updates what differs. */
export const update = { onConflict: "update" } as const;

/** The stack of an archive that was made on another one than the target. */
export const fromOtherStack = { source: { variant: "self-hosted", baseUrl: "http://other.test" } } as const;

/** A stack that has what they need, and of the rest what is given. */
export function usualTarget(more: Readonly<Record<string, readonly JsonObject[]>> = {}): MemoryStack {
  return memoryStack({ dashboards: [], alerts: [], ...dependencies.theirs, ...more });
}

const overview = dashboard(hexId("a", 16), "Overview", hexId("a", 1));

/** A dashboard with one alert of that name on it, and what they need. */
export function alertedOverview(name: string): ReturnType<typeof records> {
  const watching = alert(hexId("a", 32), name, overview, hexId("a", 2));
  return records({ dashboards: [overview], alerts: [watching], ...dependencies.ours });
}
