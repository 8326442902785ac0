import { commandOfLine, COMPLETE_WORD } from "./commands.ts";
import type { ExitCode } from "./exit-codes.ts";
import { isHelpAsked, overviewText } from "./help.ts";
import type { CliIo } from "./io.ts";
import type { ParsedLine } from "./parse.ts";

/** Maximum width of the help in columns; wider text is harder to read. */
const MAX_HELP_WIDTH = 110;

/** Parses the command line and runs its command. Modules that only some lines need are loaded on demand, for a fast start. */
export async function runCommandLine(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  if (argv[0] === COMPLETE_WORD) {
    const { printCompletions } = await import("../commands/completion.ts");
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
    const { parseCommandLine } = await import("./parse.ts");
    parsed = await parseCommandLine(argv, columns);
  } catch (error) {
    const { printUsageError } = await import("./execute.ts");
    return printUsageError(error, argv, command?.name ?? "", io);
  }
  if ("parsedCommand" in parsed) {
    const { executeCommand } = await import("./execute.ts");
    return executeCommand(parsed.parsedCommand, argv, io);
  }
  io.stdout.write(`${parsed.text.trimEnd()}\n`);
  return 0;
}
