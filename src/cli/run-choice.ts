import type { Choice, Run } from "./define-command.ts";
import { exitCodeOf } from "./exit-codes.ts";
import type { ExitCode } from "./exit-codes.ts";
import { guardedIo } from "./guarded-io.ts";
import type { CliIo } from "./io.ts";
import { createRunNotifier } from "./notify-run.ts";
import type { RunNotifier } from "./notify-run.ts";
import { describeError, printDocument } from "./print-document.ts";
import type { RunEnd } from "./report.ts";
import { summarizeRun } from "./run-summary.ts";
import { createSession } from "./session.ts";
import type { Session } from "./session.ts";

/** Runs what the command line asked for, and prints its result or its error. */
export async function runChoice(
  { command, run, globals }: Choice,
  argv: readonly string[],
  plainIo: CliIo,
): Promise<ExitCode> {
  const { io, scrubber } = guardedIo(argv, plainIo);
  const session = createSession(io, globals, scrubber);
  try {
    session.log.begin(command);
    const { end, error } = await runToEnd(command, run, session);
    report(end, error, session);
    return end.exitCode;
  } catch (error) {
    // The run itself has ended: only what there is to say of it could not be said, such as a document longer than any text.
    session.log.fail(error);
    return exitCodeOf(error);
  } finally {
    session.close();
  }
}

/** Runs a command and tells others how it went: the one place where `--notify` and its like are heeded. */
async function runToEnd(command: string, run: Run, session: Session): Promise<{ end: RunEnd; error?: unknown }> {
  const { io, startedAt, facts, scrubber } = session;
  const ended = (exitCode: ExitCode): RunEnd => ({ command, exitCode, startedAt, endedAt: io.now() });
  let notifier: RunNotifier | undefined;
  let end: RunEnd;
  let failure: unknown;
  try {
    notifier = await createRunNotifier(session);
    notifier.start();
    const result = await run(session);
    // A signal ends a sandbox, and only a sandbox, as it should.
    const exitCode = result.silent !== true && session.signal.aborted ? 130 : result.exitCode;
    failure = result.stopped;
    end = { ...ended(exitCode), result, ...(failure !== undefined && { error: describeError(failure) }) };
  } catch (error) {
    failure = error;
    end = { ...ended(exitCodeOf(error)), error: describeError(error) };
  }
  await notifier?.end(summarizeRun(end, facts, (text) => scrubber.scrub(text)));
  return { end, error: failure };
}

/** The one place that prints how a run ended: the error on stderr, the result or the document on stdout. */
function report(end: RunEnd, error: unknown, session: Session): void {
  const { io, globals, facts, log, out } = session;
  session.close();
  if (end.error !== undefined) log.fail(error);
  const { command, exitCode, startedAt, endedAt } = end;
  log.finish({ command, exitCode, durationMs: endedAt - startedAt });
  if (end.result?.silent === true) return;
  if (globals.json) printDocument(end, facts, io);
  else if (end.result !== undefined) io.stdout.write(end.result.text(out));
}
