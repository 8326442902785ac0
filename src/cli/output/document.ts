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

/** Code files that a report names instead of a stack. */
export interface ReportedFiles {
  readonly label: string;
  readonly files: true;
}

/** A side of a run: a stack, an archive of a stack, or code files. */
export type ReportedSide = ReportedStack | ReportedFiles;

export interface CommandResult {
  readonly exitCode: ExitCode;
  /** Renders the result for people, on stdout. */
  readonly text: (display: OutputOptions) => string;
  readonly outcomes?: readonly Outcome[];
  readonly warnings?: readonly Warning[];
  /** The error that ended the run before every record was tried. */
  readonly abortedBy?: StackferryError;
  /** The exit code of each stack in a run over several stacks, for notifications. */
  readonly stackEnds?: readonly (StackEnd & { readonly exitCode: ExitCode })[];
  /** The members of the JSON document that only this command has. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** True if the text is itself the output that the user asked for, such as a schema. `--quiet` does not suppress such a text. */
  readonly isPayload?: boolean;
  /**
   * True if the command has already printed its output (`sandbox`). In this case, neither the text nor the JSON document is printed.
   */
  readonly alreadyPrinted?: boolean;
}

/** Facts that are collected while a command runs, so that they are reported even if the command fails. */
export interface RunState {
  from?: ReportedSide;
  to?: ReportedSide;
  archive?: ArchiveSummary;
  readonly outcomes: Outcome[];
  readonly warnings: Warning[];
  readonly requestCounts: (() => RequestCounts)[];
}

/** The end of a run: its exit code, its times, and its result or error. */
export interface RunEnd {
  readonly command: string;
  readonly exitCode: ExitCode;
  /** Start of the run, Unix milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly error?: ReturnType<typeof describeError>;
  readonly result?: CommandResult;
}

/**
 * Writes the JSON document, the only output on stdout with `--json`. The document has these members for every command,
 * and the command's `details`. Only a failed run has `error`.
 */
export function printJsonDocument(end: RunEnd, runState: RunState, io: CliIo): void {
  const outcomes = end.result?.outcomes ?? runState.outcomes;
  const document = {
    command: end.command,
    ok: end.error === undefined && (end.exitCode === 0 || end.exitCode === 10),
    exitCode: end.exitCode,
    ...(end.error === undefined ? {} : { error: end.error }),
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

/** Describes the error of the run for the JSON document and the notifications. */
export function describeError(error: unknown) {
  if (!(error instanceof StackferryError)) return { code: "unexpected", message: errorMessage(error) };
  return { ...errorMembers(error), faults: error.faults.length === 0 ? undefined : error.faults };
}
