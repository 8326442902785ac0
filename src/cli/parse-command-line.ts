import yargs from "yargs";
import { closestName } from "../config/closest-name.ts";
import { StackferryError } from "../domain/errors.ts";
import { commands } from "./command-list.ts";
import type { Choice } from "./define-command.ts";
import { globalFlags } from "./global-flags.ts";
import { programVersion } from "./version.ts";

/** Wider help is harder to read. */
const WIDEST_HELP = 110;

/** What the command line came to: a command to run, or a text (help, version) to print. */
export type Parsed = { readonly choice: Choice } | { readonly text: string };

/**
 * Reads the command line. Nothing is run yet.
 * @throws StackferryError `usage` for anything not understood.
 */
export async function parseCommandLine(argv: readonly string[], columns: number | undefined): Promise<Parsed> {
  let choice: Choice | undefined;
  let text = "";
  const parser = yargs()
    .scriptName("stackferry")
    .usage("$0 <command> [options]\n\nBack up, move and copy an observability stack.")
    .exitProcess(false)
    .locale("en")
    .updateStrings(MESSAGES)
    .parserConfiguration({
      "boolean-negation": false,
      "camel-case-expansion": false,
      "dot-notation": false,
      "greedy-arrays": false,
      "parse-numbers": false,
      "strip-aliased": true,
    })
    .options(globalFlags)
    .group([...Object.keys(globalFlags), "help", "version"], "Everywhere:")
    .command(commands.map(({ module }) => module((chosen) => (choice = chosen))))
    .strict()
    .help()
    .version(programVersion())
    .wrap(Math.min(columns ?? 80, WIDEST_HELP))
    .epilogue("stackferry COMMAND --help shows a command's options, examples and exit codes.")
    .fail((message, error) => {
      throw error instanceof Error ? asUsage(error, argv) : misuse(message, argv);
    });
  await parser.parseAsync([...argv], {}, (_error, _argv, output) => {
    text = output;
  });
  if (choice === undefined) return text === "" ? { text: await parser.getHelp() } : { text };
  return { choice };
}

/** Words of yargs in a form that people can use. The others, with a plural, are recognised in `misuse`. */
const MESSAGES = {
  "Invalid values:": "invalid value:",
  "Argument: %s, Given: %s, Choices: %s": "--%s is %s, expected one of %s",
};

function asUsage(error: Error, argv: readonly string[]): Error {
  // What yargs itself throws (a flag without its value) has the name YError; the rest is ours and goes on unchanged.
  return error.name === "YError" ? misuse(error.message, argv) : error;
}

function misuse(message: string, argv: readonly string[]): StackferryError {
  const command = commandOf(argv);
  const help = `stackferry${command === undefined ? "" : ` ${command.name}`} --help shows what there is`;
  const known = command?.flagNames ?? Object.keys(globalFlags);
  const flag = argv.find((word) => /^--?[^-\d]/.test(word) && ![...known, "help", "version"].includes(flagName(word)));
  // A mistyped flag often is the one that is missing, so it is named first.
  if (flag !== undefined) {
    const hint = didYouMean("--", flagName(flag), known, help);
    return new StackferryError("usage", `unknown option ${flag.split("=")[0] ?? ""}`, { hint });
  }
  const missing = /^Missing required arguments?: (.+)$/.exec(message)?.[1];
  if (missing !== undefined) {
    return new StackferryError("usage", `missing: ${missing.replaceAll(/[^, ]+/g, "--$&")}`, { hint: help });
  }
  const unknown = /^Unknown arguments?: ([^,]+)/.exec(message)?.[1]?.trim();
  if (unknown === undefined) return new StackferryError("usage", sentence(message), { hint: help });
  if (command !== undefined) return new StackferryError("usage", `unexpected argument "${unknown}"`, { hint: help });
  const names = commands.map(({ name }) => name);
  return new StackferryError("usage", `unknown command "${unknown}"`, { hint: didYouMean("", unknown, names, help) });
}

/** The command that a line names, for messages about lines that could not be read. */
export function commandOf(argv: readonly string[]): (typeof commands)[number] | undefined {
  const takesValue = (word: string | undefined): boolean =>
    Object.entries(globalFlags).some(([name, flag]) => "requiresArg" in flag && word === `--${name}`);
  const first = argv.find((word, index) => !word.startsWith("-") && !takesValue(argv[index - 1]));
  return commands.find(({ name }) => name === first);
}

function flagName(word: string): string {
  return word.replace(/^--?/, "").split("=")[0] ?? "";
}

function didYouMean(prefix: string, typed: string, known: readonly string[], otherwise: string): string {
  const meant = closestName(typed, known);
  return meant === undefined ? otherwise : `did you mean ${prefix}${meant}?`;
}

function sentence(text: string): string {
  return (text.charAt(0).toLowerCase() + text.slice(1)).replaceAll(/\s+/g, " ");
}
