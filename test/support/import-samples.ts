import type { JsonObject } from "../../src/core/json.ts";
import { importStage, type ImportStage } from "./import-stage.ts";
import { memoryStack, type MemoryStack } from "./memory-stack.ts";
import type { StackRecord } from "../../src/core/records/record.ts";
import { alert, dashboard, hexId, records, source, webhook, archiveIds, targetIds } from "./stack-records.ts";

/** The source and the webhook that most archives reference. */
export const logs = source(archiveIds.source, "Logs", hexId("c", 1));
export const hook = webhook(archiveIds.webhook, "oncall");

/** The source and the webhook of the target, with other ids. */
export const theirLogs = source(targetIds.source, "Logs", hexId("c", 2));
export const theirHook = webhook(targetIds.webhook, "oncall");

/** By side, the records that dashboards and alerts need. */
export const dependencies = {
  ours: { sources: [logs], webhooks: [hook] },
  theirs: { sources: [theirLogs], webhooks: [theirHook] },
} as const;

/** Makes a dashboard of the archive, named after its number. */
export const board = (number: number, more: JsonObject = {}): JsonObject =>
  dashboard(hexId("a", number), `Board ${number}`, archiveIds.source, more);

/** Makes an archive of dashboards and their source. */
export const archiveOf = (...dashboards: readonly JsonObject[]): StackRecord[] =>
  records({ dashboards, sources: [logs] });

/** The options of a run that updates records that differ. */
export const update = { onConflict: "overwrite" } as const;

/** The options of a run whose archive comes from another stack than the target. */
export const fromOtherStack = { source: { variant: "self-hosted", baseUrl: "http://other.test" } } as const;

/** Makes a target that has the records that dashboards and alerts need, and the given records. */
export function usualTarget(more: Readonly<Record<string, readonly JsonObject[]>> = {}): MemoryStack {
  return memoryStack({ dashboards: [], alerts: [], ...dependencies.theirs, ...more });
}

/** Makes a stage for imports onto a target, by default the usual one. */
export function newStage(stack = usualTarget()): { readonly stack: MemoryStack; readonly stage: ImportStage } {
  return { stack, stage: importStage(stack) };
}

const overview = dashboard(hexId("a", 16), "Overview", archiveIds.source);

/** Makes an archive of a dashboard with an alert of this name, and the records that they need. */
export function alertedOverview(name: string): ReturnType<typeof records> {
  const watching = alert(hexId("a", 32), name, overview, archiveIds.webhook);
  return records({ dashboards: [overview], alerts: [watching], ...dependencies.ours });
}
