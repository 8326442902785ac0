import type { RunState } from "../output/document.ts";
import { describeError, printJsonDocument } from "../output/document.ts";
import type { RunLog } from "../output/log.ts";
import { createRunLog } from "../output/log.ts";
import type { ExitCode } from "./exit-codes.ts";
import { exitCodeOfError } from "./exit-codes.ts";
import type { CliIo } from "./io.ts";
import { createScrubbedIo } from "./output-scrubber.ts";
import { commandNameOf } from "./parse/outlines.ts";
import { outputOptionsOf } from "./session.ts";

/** Creates the log for a line that could not be parsed, from the words that look like log flags. */
function logOfWords(argv: readonly string[], io: CliIo): RunLog {
  const json = argv.includes("--log-format=json") || argv[argv.indexOf("--log-format") + 1] === "json";
  const display = outputOptionsOf(io, "stderr", { noColor: argv.includes("--no-color") });
  const verbose = argv.includes("--verbose");
  return createRunLog(json ? "json" : "text", {
    output: io.stderr,
    display,
    now: () => io.now(),
    quiet: false,
    verbose,
  });
}

/**
 * Prints why a line could not be parsed. Searches its words for flags such as `--json`, because the parser has not reported any.
 */
export function printUsageError(error: unknown, argv: readonly string[], plainIo: CliIo): ExitCode {
  const { io } = createScrubbedIo(argv, plainIo);
  const exitCode = exitCodeOfError(error);
  logOfWords(argv, io).fail(error);
  if (argv.includes("--json")) {
    const command = commandNameOf(argv) ?? "";
    const runState: RunState = { outcomes: [], warnings: [], requestCounts: [] };
    const now = io.now();
    printJsonDocument({ command, exitCode, startedAt: now, endedAt: now, error: describeError(error) }, runState, io);
  }
  return exitCode;
}
