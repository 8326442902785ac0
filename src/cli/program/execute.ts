import { groupBy } from "../../core/collections.ts";
import { programVersion } from "../../library/steps/version.ts";
import type { RunSummary } from "../../telemetry/channel.ts";
import { countOutcomes, type Outcome } from "../../core/outcome.ts";
import {
  describeError,
  printJsonDocument,
  sumRequests,
  type CommandResult,
  type RunEnd,
  type RunState,
} from "../output/document.ts";
import { exitCodeOfError, type ExitCode } from "./exit-codes.ts";
import { createScrubbedIo, type CliIo } from "./io.ts";
import type { ParsedCommand } from "./parse.ts";
import { createRunNotifier, type RunNotifier } from "./notify-run.ts";
import { errorText } from "../output/terminal.ts";
import { createSession, outputOptionsOf, type Session } from "./session.ts";
import { configExposureWarnings, configPath } from "../../config/load-config.ts";

export async function executeCommand(
  { name: command, run, args, globals }: ParsedCommand,
  argv: readonly string[],
  plainIo: CliIo,
): Promise<ExitCode> {
  const { io, outputScrubber } = createScrubbedIo(plainIo, command);
  const session = createSession(argv, io, globals, outputScrubber);
  try {
    const exposure = await configExposureWarnings(configPath(globals.config, io.cwd), process.getgid?.());
    for (const warning of exposure) session.events({ type: "warning", warning });
    const end = await runToEnd(command, () => run(args, session), session);
    report(end, session);
    return end.exitCode;
  } catch (error) {
    // Printing can fail, for instance because the JSON document exceeds the maximum length of a string.
    io.stderr.write(errorText(error, session.messageDisplay));
    return exitCodeOfError(error);
  } finally {
    session.close();
  }
}

async function runToEnd(command: string, run: () => Promise<CommandResult>, session: Session): Promise<RunEnd> {
  const { io, startedAt } = session;
  const ended = (exitCode: ExitCode): RunEnd => ({ command, exitCode, startedAt, endedAt: io.now() });
  let notifier: RunNotifier | undefined;
  let end: RunEnd;
  try {
    notifier = await createRunNotifier(session);
    notifier.start();
    const result = await run();
    // A sandbox runs until a signal ends it, so a signal is its normal end.
    const exitCode = result.alreadyPrinted !== true && session.signal.aborted ? 130 : result.exitCode;
    end = { ...ended(exitCode), result, error: result.abortedBy };
  } catch (error) {
    end = { ...ended(exitCodeOfError(error)), error };
  }
  await notifier?.end(summarizeRun(end, session));
  return end;
}

function report(end: RunEnd, session: Session): void {
  const { io, globals, runState, resultDisplay: out } = session;
  session.close();
  const { exitCode, error, result } = end;
  if (error !== undefined) io.stderr.write(errorText(error, session.messageDisplay));
  if (result?.alreadyPrinted === true) return;
  // `--quiet` hides neither a problem nor output that the user asked for.
  const isHidden = globals.quiet && exitCode === 0 && result?.isPayload !== true;
  if (globals.json) printJsonDocument(end, runState, io);
  else if (result !== undefined && !isHidden) io.stdout.write(result.text(out));
}

/** Except in the message of an error, the summary names no record and no file. */
function summarizeRun(end: RunEnd, { runState, outputScrubber }: Session): RunSummary {
  const { command, exitCode, startedAt, endedAt, error, result } = end;
  const { from, to } = runState;
  const outcomes = result?.outcomes ?? runState.outcomes;
  const failure = error === undefined ? undefined : describeError(error);
  return {
    command,
    version: programVersion(),
    // `stacks` reports even a single stack, because a monitoring alert must not depend on the number of stacks.
    stack: result?.stackEnds === undefined ? outputScrubber.scrub((to ?? from)?.label ?? "") : "",
    startedAt,
    durationMs: endedAt - startedAt,
    exitCode,
    stacks: result?.stackEnds ?? [],
    records: recordsByKind(outcomes),
    counts: countOutcomes(outcomes),
    requests: sumRequests(runState.requestCounts).total,
    warnings: (result?.warnings ?? runState.warnings).length,
    error: failure && { code: failure.code, message: outputScrubber.scrub(failure.message) },
  };
}

function recordsByKind(outcomes: readonly Outcome[]): Record<string, number> {
  const done = outcomes.filter(({ status }) => status === "done");
  return Object.fromEntries([...groupBy(done, ({ kind }) => kind)].map(([kind, { length }]) => [kind, length]));
}

/** The line could not be parsed, so its words are searched for flags. */
export function printUsageError(error: unknown, argv: readonly string[], command: string, plainIo: CliIo): ExitCode {
  const { io } = createScrubbedIo(plainIo, command);
  const exitCode = exitCodeOfError(error);
  const flags = { noColor: argv.includes("--no-color"), verbose: argv.includes("--verbose") };
  io.stderr.write(errorText(error, outputOptionsOf(io, "stderr", flags)));
  if (argv.includes("--json")) {
    const runState: RunState = { outcomes: [], warnings: [], requestCounts: [] };
    const now = io.now();
    printJsonDocument({ command, exitCode, startedAt: now, endedAt: now, error }, runState, io);
  }
  return exitCode;
}
