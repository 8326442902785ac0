import { programVersion } from "../library/steps/version.ts";
import type { ExitCode } from "./program/exit-codes.ts";
import { processIo, type CliIo } from "./program/io.ts";
import type { ParsedLine } from "./program/parse.ts";

export async function main(argv: readonly string[] = process.argv.slice(2), io?: CliIo): Promise<ExitCode> {
  try {
    return await runCommandLine(argv, io ?? processIo());
  } catch (error) {
    // Without a working directory, or with too low a limit of open files, no command can even begin.
    process.stderr.write(`stackferry: cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
    process.stderr.write("  check that the working directory exists, and the limit of open files (ulimit -n)\n");
    return 1;
  }
}

/** Wider text is harder to read. */
const MAX_HELP_WIDTH = 110;

/** Modules that only some commands need are loaded on demand, for a fast start. */
async function runCommandLine(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  // Answered first, because scripts call `--version` to check the installation. `-v` alone means the same, as in many programs.
  if (argv.length === 1 && /^(?:--version|-v)$/i.test(argv[0] ?? "")) {
    io.stdout.write(`${programVersion()}\n`);
    return 0;
  }
  const { COMPLETE_WORD } = await import("./program/flags.ts");
  const { commandOfLine } = await import("./program/commands.ts");
  const { isHelpAsked, overviewText } = await import("./program/help.ts");
  if (argv[0] === COMPLETE_WORD) {
    const { printCompletions } = await import("./program/complete.ts");
    await printCompletions(argv.slice(1), io);
    return 0;
  }
  const columns = Math.min(io.stdout.columns ?? 80, MAX_HELP_WIDTH);
  const command = commandOfLine(argv);
  if ((isHelpAsked(argv) && command === undefined) || argv.length === 0) {
    io.stdout.write(overviewText(columns, argv.includes("--all")));
    return 0;
  }
  let parsed: ParsedLine;
  try {
    const { parseCommandLine } = await import("./program/parse.ts");
    parsed = await parseCommandLine(argv, columns);
  } catch (error) {
    const { printUsageError } = await import("./program/execute.ts");
    return printUsageError(error, argv, command?.name ?? "", io);
  }
  if ("parsedCommand" in parsed) {
    const { executeCommand } = await import("./program/execute.ts");
    return executeCommand(parsed.parsedCommand, argv, io);
  }
  io.stdout.write(`${parsed.text.trimEnd()}\n`);
  return 0;
}
