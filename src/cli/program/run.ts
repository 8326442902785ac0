import { StackferryError } from "../../core/errors.ts";
import { overviewText } from "./parse/overview.ts";
import { commandNameOf, COMPLETE_WORD } from "./parse/outlines.ts";
import { expandShortFlags } from "./parse/global-flags.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { CliIo } from "./io.ts";
import type { ParsedLine } from "./parse/parse.ts";

/** Maximum width of the help in columns; wider text is harder to read. */
const MAX_HELP_WIDTH = 110;

/** Parses the command line and runs its command. Modules that only some lines need are loaded on demand, for a fast start. */
export async function runCommandLine(words: readonly string[], io: CliIo): Promise<ExitCode> {
  if (words[0] === COMPLETE_WORD) {
    const { createScrubbedIo } = await import("./output-scrubber.ts");
    const { printCompletions } = await import("./parse/completion.ts");
    await printCompletions(words.slice(1), createScrubbedIo(words, io).io);
    return 0;
  }
  const argv = expandShortFlags(words);
  const columns = Math.min(io.stdout.columns ?? 80, MAX_HELP_WIDTH);
  // yargs takes the word `help` for the flag `--help`.
  const asksForHelp = argv.some((word) => word === "--help" || word === "help");
  if ((asksForHelp && commandNameOf(argv) === undefined) || words.length === 0) {
    io.stdout.write(overviewText(columns, argv.includes("--all")));
    return 0;
  }
  let parsed: ParsedLine;
  try {
    const { parseCommandLine } = await import("./parse/parse.ts");
    parsed = await parseCommandLine(argv, columns);
  } catch (error) {
    const { printUsageError } = await import("./print-usage-error.ts");
    return printUsageError(error, argv, io);
  }
  if ("parsedCommand" in parsed) {
    const { executeCommand } = await import("./execute.ts");
    return executeCommand(parsed.parsedCommand, argv, io);
  }
  if (parsed.text !== "") {
    io.stdout.write(`${parsed.text.trimEnd()}\n`);
    return 0;
  }
  io.stderr.write(overviewText(columns, false));
  const { printUsageError } = await import("./print-usage-error.ts");
  const hint = "the commands are listed above";
  return printUsageError(new StackferryError("usage", "a command is missing", { hint }), argv, io);
}
