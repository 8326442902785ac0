import yargs, { type Argv, type Options } from "yargs";
import { StackferryError } from "../../core/errors.ts";
import { closestName } from "../../core/text/similarity.ts";
import { programVersion } from "../../library/steps/version.ts";
import { commandOfLine, commands, withoutCommand, wordsOfLine, type NamedCommand } from "./commands.ts";
import { argumentWords, type Command } from "./define-command.ts";
import { globalFlags, parseGlobalFlags, type Flag, type Flags, type GlobalInput, type ParsedWords } from "./flags.ts";
import { addCommandHelp, isHelpAsked } from "./help.ts";

export interface ParsedCommand {
  readonly name: string;
  readonly run: Command["run"];
  readonly args: ParsedWords;
  readonly globals: GlobalInput;
}

export type ParsedLine = { readonly parsedCommand: ParsedCommand } | { readonly text: string };

/** Turns off other spellings of flags, and several values after one flag. */
const PARSER = {
  "boolean-negation": false,
  "camel-case-expansion": false,
  "dot-notation": false,
  "greedy-arrays": false,
  "parse-numbers": false,
  "strip-aliased": true,
} as const;

export async function parseCommandLine(argv: readonly string[], columns: number): Promise<ParsedLine> {
  const listed = commandOfLine(argv);
  if (listed === undefined) throw commandError(argv);
  const command = await listed.load();
  let args: ParsedWords | undefined;
  let text = "";
  const parser = yargs()
    .scriptName(`stackferry ${command.name}`)
    .exitProcess(false)
    .locale("en")
    .parserConfiguration(PARSER)
    .options(optionsOf(globalFlags))
    .strict()
    .help()
    .alias("help", "h")
    .version(programVersion())
    .wrap(columns)
    .fail((message, error) => {
      if (error instanceof StackferryError) throw error;
      throw refusal(message, command, parser.parsed === false ? {} : parser.parsed.argv);
    })
    // `$0` makes the command the default; for other commands, yargs renders the help for every line, which is slow.
    .command(
      `$0 ${argumentWords(command)}`.trimEnd(),
      command.describe,
      (built: Argv) => {
        const declared = declare(built, command);
        return isHelpAsked(argv) ? addCommandHelp(declared, command, argv.includes("--all"), columns) : declared;
      },
      (parsed: ParsedWords) => {
        refuseValues(parsed, command);
        args = parsed;
      },
    );
  refuseUnknownFlag(argv, command);
  await parser.parseAsync(withoutCommand(argv), {}, (_error, _argv, output) => {
    text = output;
  });
  if (args === undefined) return { text };
  return { parsedCommand: { name: command.name, run: command.run, args, globals: parseGlobalFlags(args) } };
}

function commandError(argv: readonly string[]): StackferryError {
  const [first = ""] = argv;
  // Reports an unknown flag first: the word after it may be its value, not a command.
  if (first.startsWith("--") && !Object.hasOwn(globalFlags, first.slice(2).replace(/=.*/, "")))
    return new StackferryError("usage", `unknown option ${first}`, { hint: HELP });
  const [typed] = wordsOfLine(argv);
  if (typed === undefined) return new StackferryError("usage", "a command is missing", { hint: HELP });
  const names = commands.map(({ name }) => name);
  return new StackferryError("usage", `unknown command "${typed}"`, { hint: didYouMean("", typed, names, HELP) });
}

const HELP = "stackferry --help shows the commands";

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

function optionOf({ advanced: _advanced, writes: _writes, bare, ...flag }: Flag) {
  if (flag.type === "boolean") return flag;
  // Without a type, yargs parses a flag without a value as true.
  if (bare !== undefined) return { ...flag, coerce: (given: unknown) => withBare(given, bare) };
  return { ...flag, requiresArg: true, ...(flag.choices === undefined && { type: "string" as const }) };
}

function withBare(given: unknown, bare: string): unknown {
  return Array.isArray(given) ? given.map((value) => withBare(value, bare)) : given === true ? bare : given;
}

/** Refuses what yargs would accept: unknown flags, names of arguments as flags, and `--`. */
function refuseUnknownFlag(argv: readonly string[], command: NamedCommand): void {
  if (argv.includes("--")) {
    const hint = "leave it out; write ./-NAME for a file whose name begins with -";
    throw new StackferryError("usage", "-- is not understood", { hint });
  }
  const flags = flagsOf(command);
  const names = [...Object.keys(flags), "help", "version", ...(isHelpAsked(argv) ? ["all"] : [])];
  const letters = ["h", ...Object.values(flags).flatMap(({ alias = [] }) => alias)];
  for (const word of argv) {
    const [, dashes, name = ""] = /^(--?)([^-\d=][^=]*)/.exec(word) ?? [];
    if (dashes === undefined || (dashes === "--" ? names : letters).includes(name)) continue;
    const hint =
      command.positionals[name] === undefined
        ? didYouMean("--", name, names, helpOf(command))
        : `it is an argument without a flag: stackferry ${command.name} ${argumentWords(command)}`;
    throw new StackferryError("usage", `unknown option ${dashes}${name}`, { hint });
  }
}

function flagsOf({ flags }: Command): Flags {
  return { ...flags, ...globalFlags };
}

function refusal(message: string, command: NamedCommand, args: ParsedWords): StackferryError {
  const { flags, positionals } = command;
  // A wrong choice is reported first: for `--mirror a.zip`, yargs would report only that the archive is missing.
  const wrong = wrongChoice(positionals, "", args) ?? wrongChoice(flagsOf(command), "--", args);
  if (wrong !== undefined) return new StackferryError("usage", wrong, { hint: helpOf(command) });
  const missing = Object.keys(flags)
    .filter((name) => flags[name]?.demandOption === true && args[name] === undefined)
    .map((name) => `--${name}`);
  // A surplus word may be a value without its flag: `export STACK`, `rollback 3`.
  const [surplus] = [args["_"] ?? []].flat().map(String);
  const flag = flags["run"] !== undefined && /^\d+$/.test(surplus ?? "") ? "--run" : missing[0];
  const hint = surplus === undefined || flag === undefined ? helpOf(command) : `did you mean ${flag} ${surplus}?`;
  const sentence = message
    .replace(/^Missing required arguments?: .*/, `missing: ${missing.join(", ")}`)
    .replace(
      /^Not enough non-option arguments: got (\d+).*/,
      (_, given) => `missing: <${Object.keys(positionals)[given]}>`,
    )
    .replace(/^Not enough arguments following: (.*)/, "--$1 needs a value")
    // The bundle lacks the translations of yargs, which would reword these messages.
    .replace(/^(?:Implications failed|Missing dependent arguments):\s+(\S+) -> (\S+).*/s, "--$1 needs --$2")
    .replace(/^Arguments (\S+) and (\S+) are mutually exclusive/, "--$1 and --$2 exclude each other")
    .replace(/^Unknown (arguments?):/, "unexpected $1:");
  return new StackferryError("usage", sentence, { hint });
}

function wrongChoice(flags: Flags, prefix: "" | "--", args: ParsedWords): string | undefined {
  for (const [name, { choices = [] }] of Object.entries(flags)) {
    const value = args[name];
    if (choices.length > 0 && typeof value === "string" && !choices.includes(value))
      return `${prefix}${name} is "${value}", expected one of ${choices.join(", ")}`;
  }
  return undefined;
}

function didYouMean(prefix: string, typed: string, names: readonly string[], otherwise: string): string {
  const meant = closestName(typed, names);
  return meant === undefined ? otherwise : `did you mean ${prefix}${meant}?`;
}

function helpOf({ name }: NamedCommand): string {
  return `stackferry ${name} --help shows the arguments and flags`;
}

function refuseValues(args: ParsedWords, command: Command): void {
  const declared = [
    ...Object.entries(command.positionals).map(([name, flag]) => ({ name, flag, shown: name })),
    ...Object.entries(flagsOf(command)).map(([name, flag]) => ({ name, flag, shown: `--${name}` })),
  ];
  for (const { name, flag, shown } of declared) {
    const value = args[name];
    // yargs collects the values of a repeated flag in an array, even if the flag takes one value.
    if (Array.isArray(value) && flag.array !== true) {
      throw new StackferryError("usage", `${shown} may be given only once`);
    }
    // A script passes an empty value for a variable that is not set. An empty path would be the working directory.
    if ([value].flat().includes("")) {
      const hint = "give it a value, or leave it out; is a variable on the command line not set?";
      throw new StackferryError("usage", `the value of ${shown} is empty`, { hint });
    }
    // In other programs, `-` means the standard output; here, `-` would be the name of a file.
    if (flag.writes === true && value === "-") {
      throw new StackferryError("usage", `${shown} writes a file, and never to the standard output`, {
        hint: "name a file; write ./- for a file that is called -",
      });
    }
  }
}
