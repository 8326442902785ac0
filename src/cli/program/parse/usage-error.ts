import { Parser } from "yargs/helpers";
import { StackferryError } from "../../../core/errors.ts";
import { partition } from "../../../core/collections.ts";
import { closestName } from "../../../core/text/similarity.ts";
import type { Flags } from "../../flags/outline.ts";
import { globalFlags, parserConfiguration } from "./global-flags.ts";
import { commandNameOf, commandOutlines, flagName, flagWords, outlineOf } from "./outlines.ts";

type RefusedLine = ReturnType<typeof readRefused>;

/** Explains a refused line by the command's definition. If that explains nothing, uses the message of yargs. */
export function usageError(refusal: Error, argv: readonly string[]): StackferryError {
  const line = readRefused(argv);
  // The order matters: an unknown command makes its flags unknown, too, and a mistyped flag often makes a required flag seem to be
  // missing.
  const problems = [unknownCommand, unknownFlag, flagWithoutValue, wrongChoice, missingFlags, wrongArguments];
  for (const problemOf of problems) {
    const error = problemOf(line);
    if (error !== undefined) return error;
  }
  return new StackferryError("usage", refusal.message, { hint: line.help, cause: refusal });
}

/** Splits a line that yargs refused into flags and arguments, as the command declares them. */
function readRefused(argv: readonly string[]) {
  const name = commandNameOf(argv);
  const command = name && outlineOf(name);
  const flags: Flags = { ...command?.flags, ...globalFlags };
  const names = Object.keys(flags);
  const [boolean, string] = partition(names, (name) => flags[name]?.type === "boolean");
  // A missing value of a flag is undefined or empty.
  const { _: words, ...values } = Parser([...argv], {
    boolean: [...boolean, "help", "version"],
    string,
    array: names.filter((name) => flags[name]?.array === true),
    narg: Object.fromEntries(string.flatMap((name) => (flags[name]?.bare === undefined ? [[name, 1]] : []))),
    configuration: parserConfiguration,
  });
  const args = words.map(String).slice(command === undefined ? 0 : 1);
  return {
    argv,
    command,
    flags,
    values,
    args,
    help: `stackferry ${command?.name ?? ""} --help shows the arguments and flags`.replace("  ", " "),
  };
}

function unknownFlag({ argv, command, flags, help }: RefusedLine): StackferryError | undefined {
  const names = Object.keys(flags);
  const typed = flagWords(argv).find((word) => ![...names, "help", "version"].includes(flagName(word)));
  if (typed === undefined) return undefined;
  const name = flagName(typed);
  const hint =
    command?.positionals[name] === undefined
      ? didYouMean("--", name, names, help)
      : `it is an argument without a flag: stackferry ${command.name} ${command.arguments}`;
  return new StackferryError("usage", `unknown option ${typed.split("=")[0] ?? ""}`, { hint });
}

function unknownCommand({ command, args: [typed], help }: RefusedLine): StackferryError | undefined {
  if (command !== undefined || typed === undefined) return undefined;
  const names: readonly string[] = commandOutlines.map(({ name }) => name);
  // The word is a command, as in `--unknown VALUE export`. Not the command but the unknown flag is reported then.
  if (names.includes(typed)) return undefined;
  return new StackferryError("usage", `unknown command "${typed}"`, { hint: didYouMean("", typed, names, help) });
}

function flagWithoutValue({ argv, flags, values, help }: RefusedLine): StackferryError | undefined {
  const isEmpty = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.length === 0);
  const name = Object.keys(flags).find((flag) => argv.includes(`--${flag}`) && isEmpty(values[flag]));
  return name === undefined ? undefined : new StackferryError("usage", `--${name} needs a value`, { hint: help });
}

function wrongChoice({ argv, command, flags, values, args, help }: RefusedLine): StackferryError | undefined {
  const choiceValues = [
    ...Object.entries(flags).map(([name, { choices, bare }]) => ({
      what: `--${name}`,
      choices: bare !== undefined && argv.includes(`--${name}`) ? choices?.concat("") : choices,
      value: values[name],
    })),
    ...Object.entries(command?.positionals ?? {}).map(([what, { choices }], at) => ({
      what,
      choices,
      value: args[at],
    })),
  ];
  const wrong = choiceValues.find(
    ({ choices, value }) => typeof value === "string" && choices?.includes(value) === false,
  );
  if (wrong === undefined) return undefined;
  const { what, value = "", choices = [] } = wrong;
  return new StackferryError(
    "usage",
    `${what} is "${String(value)}", expected one of ${choices.filter((choice) => choice !== "").join(", ")}`,
    {
      hint: help,
    },
  );
}

function missingFlags({ command, flags, values, args, help }: RefusedLine): StackferryError | undefined {
  const names = Object.keys(flags).filter((name) => flags[name]?.demandOption === true && values[name] === undefined);
  if (names.length === 0) return undefined;
  // For example `export STACK` instead of `export --from STACK`.
  const surplusArgument = args[Object.keys(command?.positionals ?? {}).length];
  const hint = surplusArgument === undefined ? help : `did you mean --${names[0] ?? ""} ${surplusArgument}?`;
  return new StackferryError("usage", `missing: ${names.map((name) => `--${name}`).join(", ")}`, { hint });
}

function wrongArguments({ command, args, help }: RefusedLine): StackferryError | undefined {
  const positionals = Object.entries(command?.positionals ?? {});
  const missingPositional = positionals.slice(args.length).find(([, { demandOption }]) => demandOption === true);
  if (missingPositional !== undefined) {
    return new StackferryError("usage", `not enough arguments: <${missingPositional[0]}> is missing`, { hint: help });
  }
  const takesMore = positionals.some(([, { array }]) => array === true);
  const surplusArgument = takesMore ? undefined : args[positionals.length];
  return surplusArgument === undefined
    ? undefined
    : new StackferryError("usage", `unexpected argument "${surplusArgument}"`, { hint: help });
}

function didYouMean(prefix: string, typed: string, vocabulary: readonly string[], otherwise: string): string {
  const suggestion = closestName(typed, vocabulary);
  return suggestion === undefined ? otherwise : `did you mean ${prefix}${suggestion}?`;
}
