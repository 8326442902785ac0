import { StackferryError } from "../domain/errors.ts";
import { COMPLETE } from "./completion/completion-scripts.ts";
import { environmentSecrets } from "./environment-secrets.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { CliIo } from "./io.ts";
import { commandOf, parseCommandLine } from "./parse-command-line.ts";
import type { Parsed } from "./parse-command-line.ts";
import { scrubbedIo } from "./scrubbed-io.ts";
import { createScrubber } from "./scrubber.ts";

/** Reads the command line and does what it says. What only some lines need is loaded when it is needed. */
export async function runCommandLine(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  const scrubber = createScrubber();
  // A sandbox that is started again says the keys it has: they may well be in the environment already.
  if (commandOf(argv)?.name !== "sandbox") scrubber.add(...environmentSecrets(io.env));
  const safeIo = scrubbedIo(io, scrubber);
  if (argv[0] === COMPLETE) {
    const { printCompletions } = await import("./completion/print-completions.ts");
    await printCompletions(argv.slice(1), safeIo);
    return 0;
  }
  let parsed: Parsed;
  try {
    parsed = await parseCommandLine(argv, io.stdout.columns);
    if ("text" in parsed) {
      printText(parsed.text, argv, safeIo);
      return 0;
    }
  } catch (error) {
    const { refuseLine } = await import("./refuse-line.ts");
    return refuseLine(error, argv, safeIo);
  }
  const { runChoice } = await import("./run-choice.ts");
  return runChoice(parsed.choice, safeIo, scrubber);
}

/** `--help` and `--version` are results; the help that answers a line without a command is not. */
function printText(text: string, argv: readonly string[], io: CliIo): void {
  const asked = argv.includes("--help") || argv.includes("--version");
  (asked ? io.stdout : io.stderr).write(`${text.trimEnd()}\n`);
  if (!asked) throw new StackferryError("usage", "a command is missing", { hint: "the commands are listed above" });
}
