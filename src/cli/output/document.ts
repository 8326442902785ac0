import { StackferryError, errorMessage } from "../../core/errors.ts";
import { countOutcomes, type Outcome, type Warning } from "../../core/outcome.ts";
import type { ArchiveSummary, RequestCounts } from "../../core/ports.ts";
import type { StackIdentity } from "../../core/records/record.ts";
import { printableJson } from "../../core/text/printable.ts";
import type { StackEnd } from "../../telemetry/channel.ts";
import type { ExitCode } from "../program/exit-codes.ts";
import type { CliIo } from "../program/io.ts";
import type { OutputOptions } from "./terminal.ts";

export type ReportedStack = StackIdentity & { readonly label: string };

/** Code files have no address, because they belong to no stack. */
export type ReportedSide = ReportedStack | { readonly label: string; readonly files: true };

export interface CommandResult {
  readonly exitCode: ExitCode;
  readonly text: (display: OutputOptions) => string;
  readonly outcomes?: readonly Outcome[];
  readonly warnings?: readonly Warning[];
  /** The error of a failed run that still has a result to print. */
  readonly abortedBy?: StackferryError;
  /** The end of each stack in a run over several stacks, for notifications. */
  readonly stackEnds?: readonly (StackEnd & { readonly exitCode: ExitCode })[];
  /** The members of the JSON document that only this command has. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** True for output that the user asked for, such as a schema; `--quiet` does not suppress it. */
  readonly isPayload?: boolean;
  /** True if neither the text nor the JSON document is to be printed (`sandbox`, `demo`). */
  readonly alreadyPrinted?: boolean;
}

/** Collected while a command runs, so a failed command reports these facts, too. */
export interface RunState {
  from?: ReportedSide;
  to?: ReportedSide;
  archive?: ArchiveSummary;
  readonly outcomes: Outcome[];
  readonly warnings: Warning[];
  readonly requestCounts: (() => RequestCounts)[];
}

export interface RunEnd {
  readonly command: string;
  readonly exitCode: ExitCode;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly error?: unknown;
  readonly result?: CommandResult;
}

/** With `--json`, the document is the only output on stdout. */
export function printJsonDocument(end: RunEnd, runState: RunState, io: CliIo): void {
  const outcomes = end.result?.outcomes ?? runState.outcomes;
  const document = {
    command: end.command,
    ok: end.error === undefined && (end.exitCode === 0 || end.exitCode === 10),
    exitCode: end.exitCode,
    error: end.error === undefined ? undefined : describeError(end.error),
    startedAt: new Date(end.startedAt).toISOString(),
    durationMs: end.endedAt - end.startedAt,
    from: runState.from,
    to: runState.to,
    archive: runState.archive,
    counts: countOutcomes(outcomes),
    outcomes,
    warnings: end.result?.warnings ?? runState.warnings,
    requests: sumRequests(runState.requestCounts),
    ...end.result?.details,
  };
  io.stdout.write(`${printableJson(document)}\n`);
}

export function sumRequests(counts: readonly (() => RequestCounts)[]): RequestCounts {
  return counts
    .map((count) => count())
    .reduce(
      (sum, client) => ({
        total: sum.total + client.total,
        retried: sum.retried + client.retried,
        rateLimited: sum.rateLimited + client.rateLimited,
        waitedMs: sum.waitedMs + client.waitedMs,
      }),
      { total: 0, retried: 0, rateLimited: 0, waitedMs: 0 },
    );
}

export function errorMembers({ code, message, hint }: StackferryError) {
  return { code, message, hint };
}

export function describeError(error: unknown) {
  if (!(error instanceof StackferryError)) return { code: "unexpected", message: errorMessage(error) };
  return { ...errorMembers(error), faults: error.faults.length === 0 ? undefined : error.faults };
}
