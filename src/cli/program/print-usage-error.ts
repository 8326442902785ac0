import type { RunState } from "../output/document.ts";
import { describeError, printDocument } from "../output/document.ts";
import type { RunLog } from "../output/log.ts";
import { createRunLog } from "../output/log.ts";
import type { ExitCode } from "./exit-codes.ts";
import { exitCodeOf } from "./exit-codes.ts";
import type { CliIo } from "./io.ts";
import type { SecretFilter } from "./secret-filter.ts";
import { createSecretFilter, filterOutput } from "./secret-filter.ts";
import { outputOptionsOf } from "./session.ts";
import { commandNameOf } from "./usage-error.ts";

/** The log that the words of a line seem to ask for. */
function logOfWords(argv: readonly string[], io: CliIo): RunLog {
  const json = argv.includes("--log-format=json") || argv[argv.indexOf("--log-format") + 1] === "json";
  const display = outputOptionsOf(io, "stderr", { noColor: argv.includes("--no-color") });
  const options = {
    output: io.stderr,
    display,
    now: () => io.now(),
    quiet: false,
    verbose: argv.includes("--verbose"),
  };
  return createRunLog(json ? "json" : "text", options);
}

/** A line that could not be read: nothing has been started, and its flags are only known as words. */
export function printUsageError(error: unknown, argv: readonly string[], plainIo: CliIo): ExitCode {
  const { io } = filteredIo(argv, plainIo);
  const exitCode = exitCodeOf(error);
  logOfWords(argv, io).fail(error);
  if (argv.includes("--json")) {
    const command = commandNameOf(argv) ?? "";
    const runState: RunState = { outcomes: [], warnings: [], requestCounts: [] };
    const now = io.now();
    printDocument({ command, exitCode, startedAt: now, endedAt: now, error: describeError(error) }, runState, io);
  }
  return exitCode;
}

/** Output from which the secrets of the environment are taken out, and later those that the run comes to know. */
export function filteredIo(
  argv: readonly string[],
  io: CliIo,
): { readonly io: CliIo; readonly secretFilter: SecretFilter } {
  const secretFilter = createSecretFilter();
  // A sandbox that is started again says the keys it has: they may well be in the environment already.
  if (commandNameOf(argv) !== "sandbox") secretFilter.add(...environmentSecrets(io.env));
  return { io: filterOutput(io, secretFilter), secretFilter };
}

const NAMES = /^STACKFERRY_(?:.+_)?(?:API_KEY|KEY_ID|KEY_SECRET|PASSPHRASE)$/;

/** Secrets of the program's own variables, whether this run comes to use them or not: a crash may show any of them. */
export function environmentSecrets(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => (NAMES.test(name) && value ? [value] : []));
}
