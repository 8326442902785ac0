import type { Argv, CommandModule } from "yargs";
import yargs from "yargs";
import { programVersion } from "../../../library/steps/version.ts";
import { commandNameOf, commandOutlines } from "./outlines.ts";
import type { Help, ParsedCommand } from "./define-command.ts";
import { globalFlags, parserConfiguration } from "./global-flags.ts";
import { loadCommand } from "./load-command.ts";

/** A command to run, or a help text to print. The text is empty if the line names no command. */
export type Parsed = { readonly parsedCommand: ParsedCommand } | { readonly text: string };

/**
 * Parses the command line, without running the command.
 * @throws StackferryError `usage`
 */
export async function parseCommandLine(argv: readonly string[], columns: number): Promise<Parsed> {
  let parsedCommand: ParsedCommand | undefined;
  let text = "";
  const parser = yargs()
    .scriptName("stackferry")
    .exitProcess(false)
    .locale("en")
    .parserConfiguration(parserConfiguration)
    .options(globalFlags)
    .command(
      commandOutlines.map((outline) =>
        lazyCommand(outline, { help: helpOf(argv), columns }, (command) => (parsedCommand = command)),
      ),
    )
    .strict()
    .help()
    .version(programVersion())
    .wrap(columns)
    .fail((message, error) => {
      throw error instanceof Error ? error : new Refusal(message);
    });
  try {
    await parser.parseAsync([...argv], {}, (_error, _argv, output) => {
      text = output;
    });
  } catch (error) {
    throw isRefusal(error) ? await explainRefusal(error, argv) : error;
  }
  return parsedCommand === undefined ? { text } : { parsedCommand };
}

/** The error for a line that yargs refused, with the message of yargs. */
class Refusal extends Error {}

/**
 * Tells whether yargs refused the line. For a flag without a value, yargs throws a YError of its own. Every other error comes from
 * this program, and is rethrown unchanged.
 */
function isRefusal(error: unknown): error is Error {
  return error instanceof Refusal || (error instanceof Error && error.name === "YError");
}

async function explainRefusal(refusal: Error, argv: readonly string[]): Promise<Error> {
  const { usageError } = await import("./usage-error.ts");
  const name = commandNameOf(argv);
  return usageError(refusal, argv, name && (await loadCommand[name]()));
}

/** Returns the help that the line may ask for. */
function helpOf(argv: readonly string[]): Help {
  if (!argv.some((word) => word.includes("help"))) return "none";
  return argv.includes("--all") ? "all" : "common";
}

/**
 * Makes the yargs module of a command. yargs drops the return value of a handler, so the handler passes the parsed command to
 * `parsed`.
 */
function lazyCommand(
  { name, describe, ...outline }: (typeof commandOutlines)[number],
  { help, columns }: { readonly help: Help; readonly columns: number },
  parsed: (command: ParsedCommand) => void,
): CommandModule<object, object> {
  const load = loadCommand[name];
  return {
    command: "arguments" in outline ? `${name} ${outline.arguments}` : name,
    describe,
    builder: async (yargs: Argv) => (await load()).build(yargs, help, columns),
    handler: async (args) => parsed((await load()).parse(args)),
  };
}
