import { exitCodeOf } from "./exit-codes.ts";
import type { ExitCode } from "./exit-codes.ts";
import { guardedIo } from "./guarded-io.ts";
import type { CliIo } from "./io.ts";
import { commandNameOf } from "./misuse.ts";
import { describeError, printDocument } from "./print-document.ts";
import { createRunLog } from "./render/run-log.ts";
import type { RunLog } from "./render/run-log.ts";
import type { RunFacts } from "./report.ts";
import { viewOf } from "./session.ts";

/** The log that the words of a line seem to ask for. */
function logOfWords(argv: readonly string[], io: CliIo): RunLog {
  const json = argv.includes("--log-format=json") || argv[argv.indexOf("--log-format") + 1] === "json";
  const view = viewOf(io, "stderr", { noColor: argv.includes("--no-color") });
  const options = { output: io.stderr, view, now: () => io.now(), quiet: false, verbose: argv.includes("--verbose") };
  return createRunLog(json ? "json" : "text", options);
}

/** A line that could not be read: nothing has been started, and its flags are only known as words. */
export function refuseLine(error: unknown, argv: readonly string[], plainIo: CliIo): ExitCode {
  const { io } = guardedIo(argv, plainIo);
  const exitCode = exitCodeOf(error);
  logOfWords(argv, io).fail(error);
  if (argv.includes("--json")) {
    const command = commandNameOf(argv) ?? "";
    const facts: RunFacts = { outcomes: [], warnings: [], requestCounts: [] };
    const now = io.now();
    printDocument({ command, exitCode, startedAt: now, endedAt: now, error: describeError(error) }, facts, io);
  }
  return exitCode;
}
