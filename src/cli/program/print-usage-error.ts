import { describeError, printJsonDocument, type RunState } from "../output/document.ts";
import { createRunLog } from "../output/log.ts";
import { exitCodeOfError, type ExitCode } from "./exit-codes.ts";
import type { CliIo } from "./io.ts";
import { createScrubbedIo } from "./output-scrubber.ts";
import { outputOptionsOf } from "./session.ts";

/** Searches the words for flags such as `--json`, because the parser has not reported any. */
export function printUsageError(error: unknown, argv: readonly string[], command: string, plainIo: CliIo): ExitCode {
  const { io } = createScrubbedIo(plainIo, command);
  const exitCode = exitCodeOfError(error);
  const isJsonLog = argv.includes("--log-format=json") || argv[argv.indexOf("--log-format") + 1] === "json";
  const display = outputOptionsOf(io, "stderr", { noColor: argv.includes("--no-color") });
  const options = {
    output: io.stderr,
    display,
    now: () => io.now(),
    quiet: false,
    verbose: argv.includes("--verbose"),
  };
  createRunLog(isJsonLog ? "json" : "text", options).fail(error);
  if (argv.includes("--json")) {
    const runState: RunState = { outcomes: [], warnings: [], requestCounts: [] };
    const now = io.now();
    printJsonDocument({ command, exitCode, startedAt: now, endedAt: now, error: describeError(error) }, runState, io);
  }
  return exitCode;
}
