import { errorMessage, StackferryError } from "../domain/errors.ts";
import { COMPLETE } from "./completion/completion-scripts.ts";
import type { Choice, Run } from "./define-command.ts";
import { environmentSecrets } from "./environment-secrets.ts";
import { exitCodeOf } from "./exit-codes.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { CliIo } from "./io.ts";
import { createRunNotifier } from "./notify-run.ts";
import type { RunNotifier } from "./notify-run.ts";
import { commandOf, parseCommandLine } from "./parse-command-line.ts";
import { processIo } from "./process-io.ts";
import { createRunLog } from "./render/run-log.ts";
import type { RunLog } from "./render/run-log.ts";
import { printableJson } from "./render/printable.ts";
import { reportDocument } from "./report.ts";
import type { RunEnd, RunFacts } from "./report.ts";
import { summarizeRun } from "./run-summary.ts";
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
  // A sandbox that is started again says the keys it has: they may well be in the environment already.
  if (commandOf(argv)?.name !== "sandbox") scrubber.add(...environmentSecrets(io.env));
  const safeIo = scrubbedIo(io, scrubber);
  if (argv[0] === COMPLETE) {
    const { printCompletions } = await import("./completion/print-completions.ts");
    await printCompletions(argv.slice(1), safeIo);
    return 0;
  }
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

/** The log that the words of a line seem to ask for. */
function logOfWords(argv: readonly string[], io: CliIo): RunLog {
  const json = argv.includes("--log-format=json") || argv[argv.indexOf("--log-format") + 1] === "json";
  const view = viewOf(io, "stderr", { noColor: argv.includes("--no-color") });
  const options = { output: io.stderr, view, now: () => io.now(), quiet: false, verbose: argv.includes("--verbose") };
  return createRunLog(json ? "json" : "text", options);
}

/** A line that could not be read: nothing has been started, and its flags are only known as words. */
function refuse(error: unknown, argv: readonly string[], io: CliIo): ExitCode {
  const exitCode = exitCodeOf(error);
  logOfWords(argv, io).fail(error);
  if (argv.includes("--json")) {
    const command = commandOf(argv)?.name ?? "";
    const facts: RunFacts = { outcomes: [], warnings: [], requestCounts: [] };
    const now = io.now();
    printDocument({ command, exitCode, startedAt: now, endedAt: now, error: describe(error) }, facts, io);
  }
  return exitCode;
}

async function runChoice({ command, run }: Choice, session: Session): Promise<ExitCode> {
  session.log.begin(command);
  const { end, error } = await runToEnd(command, run, session);
  report(end, error, session);
  return end.exitCode;
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
    end = { ...ended(exitCode), result, ...(failure !== undefined && { error: describe(failure) }) };
  } catch (error) {
    failure = error;
    end = { ...ended(exitCodeOf(error)), error: describe(error) };
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

function printDocument(end: RunEnd, facts: RunFacts, io: CliIo): void {
  io.stdout.write(`${printableJson(reportDocument(end, facts))}\n`);
}

function describe(error: unknown): NonNullable<RunEnd["error"]> {
  if (!(error instanceof StackferryError)) return { code: "unexpected", message: errorMessage(error) };
  const { code, message, hint } = error;
  return { code, message, ...(hint === undefined ? {} : { hint }) };
}
