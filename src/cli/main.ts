import { errorMessage, StackferryError } from "../domain/errors.ts";
import type { Choice } from "./define-command.ts";
import { exitCodeOf } from "./exit-codes.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { CliIo } from "./io.ts";
import { commandOf, parseCommandLine } from "./parse-command-line.ts";
import { processIo } from "./process-io.ts";
import { renderError } from "./render/error-text.ts";
import { printableJson } from "./render/printable.ts";
import { reportDocument } from "./report.ts";
import type { RunEnd, RunFacts } from "./report.ts";
import { scrubbedIo } from "./scrubbed-io.ts";
import { createScrubber } from "./scrubber.ts";
import { createSession, viewOf } from "./session.ts";
import type { Session } from "./session.ts";

/**
 * The whole program: reads the command line, runs the command, prints its result or its error.
 * @returns the exit code
 */
export async function main(
  argv: readonly string[] = process.argv.slice(2),
  io: CliIo = processIo(),
): Promise<ExitCode> {
  const scrubber = createScrubber();
  const safeIo = scrubbedIo(io, scrubber);
  let choice: Choice;
  try {
    const parsed = await parseCommandLine(argv, io.stdout.columns);
    if ("text" in parsed) {
      printText(parsed.text, argv, safeIo);
      return 0;
    }
    choice = parsed.choice;
  } catch (error) {
    return refuse(error, argv, safeIo);
  }
  const session = createSession(safeIo, choice.globals, scrubber);
  try {
    return await runChoice(choice, session);
  } finally {
    session.close();
  }
}

/** `--help` and `--version` are results; the help that answers a line without a command is not. */
function printText(text: string, argv: readonly string[], io: CliIo): void {
  const asked = argv.includes("--help") || argv.includes("--version");
  (asked ? io.stdout : io.stderr).write(`${text.trimEnd()}\n`);
  if (!asked) throw new StackferryError("usage", "a command is missing", { hint: "the commands are listed above" });
}

/** A line that could not be read: nothing has been started, and its flags are only known as words. */
function refuse(error: unknown, argv: readonly string[], io: CliIo): ExitCode {
  const exitCode = exitCodeOf(error);
  const view = viewOf(io, "stderr", { noColor: argv.includes("--no-color") });
  io.stderr.write(renderError(error, { verbose: argv.includes("--verbose"), view }));
  if (argv.includes("--json")) {
    const command = commandOf(argv)?.name ?? "";
    const facts: RunFacts = { outcomes: [], warnings: [], requestCounts: [] };
    const now = io.now();
    printDocument({ command, exitCode, startedAt: now, endedAt: now, error: describe(error) }, facts, io);
  }
  return exitCode;
}

async function runChoice({ command, run }: Choice, session: Session): Promise<ExitCode> {
  const { io, startedAt } = session;
  try {
    const result = await run(session);
    // A signal ends a sandbox, and only a sandbox, as it should.
    const exitCode = result.silent !== true && session.signal.aborted ? 130 : result.exitCode;
    const error = result.stopped;
    const end = { command, exitCode, startedAt, endedAt: io.now(), result };
    report(error === undefined ? end : { ...end, error: describe(error) }, error, session);
    return exitCode;
  } catch (error) {
    const exitCode = exitCodeOf(error);
    report({ command, exitCode, startedAt, endedAt: io.now(), error: describe(error) }, error, session);
    return exitCode;
  }
}

/** The one place that prints how a run ended: the error on stderr, the result or the document on stdout. */
function report(end: RunEnd, error: unknown, session: Session): void {
  const { io, globals, facts, err, out } = session;
  session.close();
  if (end.error !== undefined) io.stderr.write(renderError(error, { verbose: globals.verbose, view: err }));
  if (end.result?.silent === true) return;
  if (globals.json) printDocument(end, facts, io);
  else if (end.result !== undefined) io.stdout.write(end.result.text(out));
}

function printDocument(end: RunEnd, facts: RunFacts, io: CliIo): void {
  io.stdout.write(`${printableJson(reportDocument(end, facts))}\n`);
}

function describe(error: unknown): NonNullable<RunEnd["error"]> {
  if (!(error instanceof StackferryError)) return { code: "unexpected", message: errorMessage(error) };
  const { code, message, hint } = error;
  return { code, message, ...(hint === undefined ? {} : { hint }) };
}
