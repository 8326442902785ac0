import type { RunSummary } from "../../src/telemetry/channel.ts";

/** The summary of a successful run. */
export const runSummary: RunSummary = {
  command: "export",
  version: "1.2.3",
  stack: 'prod"\\\n1',
  startedAt: 1_700_000_000_000,
  durationMs: 2500,
  exitCode: 0,
  stacks: [],
  records: { dashboards: 9, alerts: 12 },
  counts: { export: 21 },
  requests: 5,
  warnings: 1,
};
