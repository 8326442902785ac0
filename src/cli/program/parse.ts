import yargs, { type Argv, type Options } from "yargs";
import { StackferryError } from "../../core/errors.ts";
import { closestName } from "../../core/text/similarity.ts";
import { programVersion } from "../../library/steps/version.ts";
import { argumentWords, type Command, type CommandRun } from "./command.ts";
import { commandOfLine, commands } from "./commands.ts";
import type { Flag, Flags, ParsedWords } from "./flag.ts";
import { globalFlags, parseGlobalFlags, type GlobalInput } from "./global-flags.ts";
import { addCommandHelp, isHelpAsked } from "./help.ts";

/** A command with its arguments parsed, ready to be run. */
export interface ParsedCommand {
  readonly command: string;
  readonly globals: GlobalInput;
  readonly run: CommandRun;
}

/** A command to run, or a help text to print. */
export type ParsedLine = { readonly parsedCommand: ParsedCommand } | { readonly text: string };

/** Parser settings of yargs: a flag has one spelling, and each use of it takes one value. */
const PARSER = {
  "boolean-negation": false,
  "camel-case-expansion": false,
  "dot-notation": false,
  "greedy-arrays": false,
  "parse-numbers": false,
  "strip-aliased": true,
} as const;

/** Parses the command line, without running the command. @throws StackferryError `usage` */
export async function parseCommandLine(argv: readonly string[], columns: number): Promise<ParsedLine> {
  let parsedCommand: ParsedCommand | undefined;
  let text = "";
  const asksForHelp = isHelpAsked(argv);
  const parser = yargs()
    .scriptName("stackferry")
    .exitProcess(false)
    .locale("en")
    .parserConfiguration(PARSER)
    .options(optionsOf(globalFlags))
    .demandCommand(1, "a command is missing")
    .strict()
    .help()
    .alias("help", "h")
    .version(programVersion())
    .wrap(columns)
    .fail((message, error) => {
      if (error instanceof StackferryError) throw error;
      throw refusal(message, argv, parser.parsed === false ? {} : parser.parsed.argv);
    });
  for (const command of commands) {
    parser.command(
      `${command.name} ${argumentWords(command)}`.trimEnd(),
      command.describe,
      (yargs: Argv) => {
        const declared = declare(yargs, command);
        return asksForHelp ? addCommandHelp(declared, command, argv.includes("--all"), columns) : declared;
      },
      (args: ParsedWords) => {
        refuseValues(args, command);
        parsedCommand = { command: command.name, globals: parseGlobalFlags(args), run: command.prepare(args) };
      },
    );
  }
  refuseUnknownFlag(argv);
  await parser.parseAsync([...withoutDoubleDash(argv)], {}, (_error, _argv, output) => {
    text = output;
  });
  return parsedCommand === undefined ? { text } : { parsedCommand };
}

function declare(yargs: Argv, { positionals, flags }: Command): Argv {
  const withPositionals = Object.entries(positionals).reduce<Argv>(
    (built, [name, flag]) => built.positional(name, optionOf(flag)),
    yargs,
  );
  return withPositionals.options(optionsOf(flags));
}

function optionsOf(flags: Flags): Record<string, Options> {
  return Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, optionOf(flag)]));
}

function optionOf({ advanced: _advanced, writes: _writes, completes: _completes, bare, ...flag }: Flag) {
  if (flag.type === "boolean") return flag;
  // Without a type, yargs parses a flag that has no value as true.
  if (bare !== undefined) return { ...flag, coerce: (given: unknown) => withBare(given, bare) };
  return { ...flag, requiresArg: true, ...(flag.choices === undefined && { type: "string" as const }) };
}

function withBare(given: unknown, bare: string): unknown {
  return Array.isArray(given) ? given.map((value) => withBare(value, bare)) : given === true ? bare : given;
}

/**
 * Refuses a word that begins as a flag and is none, before yargs reads the line: yargs would take the next word for its value, and
 * then miss an argument. To yargs, an argument is also a flag; here it is none.
 */
function refuseUnknownFlag(argv: readonly string[]): void {
  const command = commandOfLine(argv);
  const flags = flagsOf(command);
  const names = [...Object.keys(flags), "help", "version"];
  const letters = ["h", ...Object.values(flags).flatMap(({ alias = [] }) => alias)];
  // Without a command, its flags are not known: only those before the first word are looked at.
  const end = command === undefined ? argv.findIndex((word) => !word.startsWith("-")) : argv.indexOf("--");
  const isAll = (word: string): boolean => word === "--all" && isHelpAsked(argv);
  for (const word of argv.slice(0, end === -1 ? undefined : end)) {
    const [, dashes, name = ""] = /^(--?)([^-\d=][^=]*)/.exec(word) ?? [];
    if (dashes === undefined || isAll(word) || (dashes === "--" ? names : letters).includes(name)) continue;
    const isArgument = command?.positionals[name] !== undefined;
    const hint = isArgument
      ? `it is an argument without a flag: stackferry ${command.name} ${argumentWords(command)}`
      : didYouMean("--", name, names, command);
    throw new StackferryError("usage", `unknown option ${dashes}${name}`, { hint });
  }
}

/** Returns the words without `--`: yargs would read nothing behind it. No word behind it may look like a flag. */
function withoutDoubleDash(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  if (end === -1) return argv;
  const [before = "", flag] = [argv[end - 1], argv.slice(end + 1).find((word) => word.startsWith("-"))];
  if (flag !== undefined) {
    const hint = `write flags before --, and ./${flag} for a file of that name`;
    throw new StackferryError("usage", `${flag} behind -- is no flag`, { hint });
  }
  const lastFlag = flagsOf(commandOfLine(argv))[before.replace(/^--/, "")];
  if (/^--[^=]+$/.test(before) && lastFlag?.type !== "boolean") {
    throw new StackferryError("usage", `${before} needs a value`, { hint: helpHint(commandOfLine(argv)) });
  }
  return argv.filter((_, index) => index !== end);
}

function flagsOf(command: Command | undefined): Flags {
  return { ...command?.flags, ...globalFlags };
}

/**
 * Returns the error for a line that yargs refused.
 * @param message the reason of yargs
 * @param args what yargs has read of the line
 */
function refusal(message: string, argv: readonly string[], args: ParsedWords): StackferryError {
  const command = commandOfLine(argv);
  const words = [args["_"] ?? []].flat().map(String);
  const [first] = words;
  if (command === undefined && first !== undefined) {
    const names = commands.map(({ name }) => name);
    return new StackferryError("usage", `unknown command "${first}"`, { hint: didYouMean("", first, names) });
  }
  const positionals = command?.positionals ?? {};
  const flags = flagsOf(command);
  const wrong = wrongChoice(positionals, "", args) ?? wrongChoice(flags, "--", args);
  if (wrong !== undefined) return new StackferryError("usage", wrong, { hint: helpHint(command) });
  const missing = Object.keys(flags)
    .filter((name) => flags[name]?.demandOption === true && args[name] === undefined)
    .map((name) => `--${name}`);
  // For instance `export STACK` in place of `export --from STACK`.
  const surplus = message.startsWith("Missing") ? words[1] : undefined;
  const hint = surplus === undefined ? helpHint(command) : `did you mean ${missing[0] ?? ""} ${surplus}?`;
  const sentence = message
    .replace(/^Missing required arguments?: .*/, `missing: ${missing.join(", ")}`)
    .replace(
      /^Not enough non-option arguments: got (\d+).*/,
      (_, given) => `missing: <${Object.keys(positionals)[given]}>`,
    )
    .replace(/^Not enough arguments following: (.*)/, "--$1 needs a value")
    .replace(/^Unknown (arguments?):/, "unexpected $1:");
  return new StackferryError("usage", sentence, { hint });
}

function wrongChoice(flags: Flags, prefix: "" | "--", args: ParsedWords): string | undefined {
  const isWrong = ([name, { choices }]: readonly [string, Flag]): boolean => {
    const value = args[name];
    return typeof value === "string" && choices?.includes(value) === false;
  };
  const [name, { choices = [] }] = Object.entries(flags).find(isWrong) ?? ["", { choices: [] }];
  return name === "" ? undefined : `${prefix}${name} is "${String(args[name])}", expected one of ${choices.join(", ")}`;
}

function didYouMean(prefix: string, typed: string, names: readonly string[], command?: Command): string {
  const suggestion = closestName(typed, names);
  return suggestion === undefined ? helpHint(command) : `did you mean ${prefix}${suggestion}?`;
}

function helpHint(command: Command | undefined): string {
  if (command === undefined) return "stackferry --help shows the commands";
  return `stackferry ${command.name} --help shows the arguments and flags`;
}

/** Refuses values that yargs takes and that no command can mean. */
function refuseValues(args: ParsedWords, command: Command): void {
  const declared = [
    ...Object.entries(command.positionals).map(([name, flag]) => ({ name, flag, shown: name })),
    ...Object.entries(flagsOf(command)).map(([name, flag]) => ({ name, flag, shown: `--${name}` })),
  ];
  for (const { name, flag, shown } of declared) {
    const value = args[name];
    // yargs makes an array of the values of a repeated flag, whatever its type.
    if (Array.isArray(value) && flag.array !== true) {
      throw new StackferryError("usage", `${shown} may be given only once`);
    }
    // A script gives an empty value for a variable that is not set. An empty path would be the working directory, and an empty
    // pattern would match the records without a name.
    if ([value].flat().includes("")) {
      const hint = "give it a value, or leave it out; is a variable on the command line not set?";
      throw new StackferryError("usage", `the value of ${shown} is empty`, { hint });
    }
    // In other programs `-` means the standard output. Here it would be a file of that name.
    if (flag.writes === true && value === "-") {
      throw new StackferryError("usage", `${shown} writes a file, and never to the standard output`, {
        hint: "name a file; write ./- for a file that is called -",
      });
    }
  }
}
