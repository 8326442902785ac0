import { COMPLETE } from "./completion/complete-word.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { CliIo } from "./io.ts";
import { parseCommandLine } from "./parse-command-line.ts";
import type { Parsed } from "./parse-command-line.ts";

/** Reads the command line and does what it says. What only some lines need is loaded when it is needed. */
export async function runCommandLine(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  if (argv[0] === COMPLETE) {
    const { guardedIo } = await import("./guarded-io.ts");
    const { printCompletions } = await import("./completion/print-completions.ts");
    await printCompletions(argv.slice(1), guardedIo(argv, io).io);
    return 0;
  }
  let parsed: Parsed;
  try {
    parsed = await parseCommandLine(argv, io.stdout.columns);
  } catch (error) {
    const { refuseLine } = await import("./refuse-line.ts");
    return refuseLine(error, argv, io);
  }
  if ("text" in parsed) return printText(parsed.text, argv, io);
  const { runChoice } = await import("./run-choice.ts");
  return runChoice(parsed.choice, argv, io);
}

/** `--help` and `--version` are results; the help that answers a line without a command is not. */
async function printText(text: string, argv: readonly string[], io: CliIo): Promise<ExitCode> {
  const asked = argv.includes("--help") || argv.includes("--version");
  (asked ? io.stdout : io.stderr).write(`${text.trimEnd()}\n`);
  if (asked) return 0;
  const { refuseLine } = await import("./refuse-line.ts");
  const { commandMissing } = await import("./misuse.ts");
  return refuseLine(commandMissing(), argv, io);
}
