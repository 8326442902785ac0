import type { Outcome } from "../domain/outcome.ts";
import type { RunSummary } from "../telemetry/channel.ts";
import { countOutcomes, sumRequests } from "./report.ts";
import type { RunEnd, RunFacts } from "./report.ts";
import { programVersion } from "./version.ts";

/** What others are told of a run: the figures of its report, without names of records and files. */
export function summarizeRun(end: RunEnd, facts: RunFacts, scrub: (text: string) => string): RunSummary {
  const { command, exitCode, startedAt, endedAt, error, result } = end;
  const outcomes = result?.outcomes ?? facts.outcomes;
  return {
    command,
    version: programVersion(),
    stack: scrub(stackOf(facts)),
    startedAt,
    durationMs: endedAt - startedAt,
    exitCode,
    stacks: result?.stackEnds ?? [],
    records: recordsByKind(outcomes),
    counts: countOutcomes(outcomes),
    requests: sumRequests(facts.requestCounts).total,
    warnings: (result?.warnings ?? facts.warnings).length,
    ...(error !== undefined && { error: { code: error.code, message: scrub(error.message) } }),
  };
}

/** The stack that was written, else the one that was read. */
function stackOf({ from, to }: RunFacts): string {
  return to?.label ?? from?.label ?? "";
}

function recordsByKind(outcomes: readonly Outcome[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { kind, status } of outcomes) {
    if (status === "done") counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}
