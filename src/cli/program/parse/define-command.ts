import type { Argv, InferredOptionTypes, Options, PositionalOptions } from "yargs";
import { partition } from "../../../core/collections.ts";
import { StackferryError } from "../../../core/errors.ts";
import { pluralize } from "../../../core/text/format.ts";
import type { CommandResult } from "../../output/document.ts";
import type { ExitCode } from "../exit-codes.ts";
import { exitCodes } from "../exit-codes.ts";
import type { GlobalArgs, GlobalInput } from "./global-flags.ts";
import { globalFlags, globalInput } from "./global-flags.ts";
import type { CommandName } from "./outlines.ts";
import { wrapWords } from "./outlines.ts";
import type { Session } from "../session.ts";

/** The work of a command, with its arguments normalised. */
export type Run = (session: Session) => Promise<CommandResult>;

/** A command with its arguments parsed, ready to be run. */
export interface ParsedCommand {
  readonly command: string;
  readonly globals: GlobalInput;
  readonly run: Run;
}

/**
 * The candidates for a word: names of stacks or of repositories from the configuration file, REPO/STACK made from both, or kinds of
 * records separated by commas.
 */
export type Completed = "stacks" | "repositories" | "backups" | "kinds";

/** The declaration of a flag for yargs and for completion. */
export interface Flag extends Options {
  /** Set for a flag that few runs need. Only `--help --all` shows it. */
  readonly advanced?: true;
  readonly completes?: Completed | readonly Completed[];
}

/** The declaration of a positional argument for yargs and for completion. */
export interface Positional extends PositionalOptions {
  readonly completes?: Completed | readonly Completed[];
}

/** A command as its file declares it. */
export interface CommandSpec<
  Flags extends Readonly<Record<string, Flag>>,
  Positionals extends Readonly<Record<string, Positional>>,
> {
  readonly positionals: Positionals;
  readonly flags: Flags;
  /** Pairs of a command line and its effect. */
  readonly examples: readonly (readonly [string, string])[];
  readonly exitCodes: readonly ExitCode[];
  /** Normalises the arguments. @throws StackferryError `usage` */
  readonly prepare: (args: InferredOptionTypes<Flags> & InferredOptionTypes<Positionals>) => Run;
}

/** The help that a line asks for: none, the common flags, or all of them (`--help --all`). */
export type Help = "none" | "common" | "all";

/** A command, ready to be put on the command line. */
export interface Command {
  readonly name: string;
  /** The command's own flags, and those that every command takes. */
  readonly flags: Readonly<Record<string, Flag>>;
  /** The positional arguments, in the order of the command line. */
  readonly positionals: Readonly<Record<string, Positional>>;
  /** Declares arguments and flags to yargs. Descriptions and examples are declared only for a help text. */
  readonly build: (yargs: Argv, help: Help, columns: number) => Argv;
  /** Checks and normalises the parsed arguments. @throws StackferryError `usage` */
  readonly parse: (args: Readonly<Record<string, unknown>>) => ParsedCommand;
}

export function defineCommand<
  Flags extends Readonly<Record<string, Flag>>,
  Positionals extends Readonly<Record<string, Positional>>,
>(name: CommandName, spec: CommandSpec<Flags, Positionals>): Command {
  type Args = InferredOptionTypes<Flags> & InferredOptionTypes<Positionals> & GlobalArgs;
  return {
    name,
    flags: { ...spec.flags, ...globalFlags },
    positionals: spec.positionals,
    build: (yargs, help, columns) => {
      const declared = declare(yargs, spec);
      return help === "none" ? conceal(declared, spec) : describe(declared, name, spec, help === "all", columns);
    },
    parse: (args) => {
      // yargs types arguments by the return type of its builder, which is lost in the generic parameters.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const typed = args as unknown as Args;
      refuseRepeated(args, { ...globalFlags, ...spec.flags });
      return { command: name, globals: globalInput(typed), run: spec.prepare(typed) };
    },
  };
}

/**
 * Refuses a flag that is given twice although it takes one value: yargs turns such a flag into an array, whatever its declared
 * type.
 */
function refuseRepeated(args: Readonly<Record<string, unknown>>, flags: Readonly<Record<string, Flag>>): void {
  const repeated = Object.keys(flags).find((name) => flags[name]?.array !== true && Array.isArray(args[name]));
  if (repeated !== undefined) throw new StackferryError("usage", `--${repeated} may be given only once`);
}

type Described = Pick<
  CommandSpec<Command["flags"], Command["positionals"]>,
  "positionals" | "flags" | "examples" | "exitCodes"
>;

function declare(yargs: Argv, spec: Described): Argv {
  const withPositionals = Object.entries(spec.positionals).reduce<Argv>(
    (built, [name, options]) => built.positional(name, options),
    yargs,
  );
  // The help of a command does not show these flags, because the overview (`stackferry --help`) lists them once.
  for (const name of [...Object.keys(globalFlags), "version"]) yargs.hide(name);
  return withPositionals.options(spec.flags);
}

/**
 * Hides flags and arguments from the help text. yargs builds that text for every command that it runs, which takes six times as
 * long as parsing the line.
 */
function conceal(yargs: Argv, spec: Described): Argv {
  for (const name of [...Object.keys(spec.flags), ...Object.keys(spec.positionals), "help"]) yargs.hide(name);
  return yargs;
}

function describe(yargs: Argv, name: string, spec: Described, isWhole: boolean, columns: number): Argv {
  const [advanced, common] = partition(Object.keys(spec.flags), (flag) => spec.flags[flag]?.advanced === true);
  if (isWhole) yargs.group(advanced, "Advanced options:");
  else for (const flag of advanced) yargs.hide(flag);
  const more =
    isWhole || advanced.length === 0
      ? []
      : [`${pluralize(advanced.length, "more option")}: stackferry ${name} --help --all`];
  return yargs
    .group([...common, "help"], "Options:")
    .epilogue(
      [
        ...more,
        "options of every command (--config, --json, --quiet …): stackferry --help",
        `\nExamples:\n${spec.examples.map((example) => exampleText(example, columns)).join("\n")}`,
        "\nExit codes:",
        ...spec.exitCodes.map((code) => `  ${String(code).padEnd(3)}  ${exitCodes[code]}`),
      ].join("\n"),
    );
}

const MAX_EXAMPLE_WIDTH = 80;

/**
 * Renders an example: its effect, and below it a command line to copy. The line is broken before flags; on a narrow terminal, a
 * part that is still too long is broken between words.
 */
function exampleText([line, effect]: readonly [string, string], columns: number): string {
  const width = Math.min(columns, MAX_EXAMPLE_WIDTH);
  const room = width - "      ".length - " \\".length;
  const parts = `stackferry ${line}`.split(/ (?=--)/).flatMap((part) => (part.length > room ? wordsOf(part) : [part]));
  const lines: string[] = [];
  for (const part of parts) {
    const longer = lines.length === 0 ? `  ${part}` : `${lines.at(-1)} ${part}`;
    if (lines.length > 0 && longer.length + " \\".length > width) lines.push(`      ${part}`);
    else lines.splice(-1, 1, longer);
  }
  const comment = wrapWords(effect, width - "  # ".length).map((text) => `  # ${text}\n`);
  return `${comment.join("")}${lines.join(" \\\n")}`;
}

/** Splits a part of a command line at its blanks, but never between quotation marks. */
function wordsOf(part: string): string[] {
  return part.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? [part];
}
