import type { Argv, InferredOptionTypes, Options, PositionalOptions } from "yargs";
import { StackferryError } from "../../core/errors.ts";
import type { CommandResult } from "../output/document.ts";
import type { ExitCode } from "./exit-codes.ts";
import { exitCodes } from "./exit-codes.ts";
import type { GlobalArgs, GlobalInput } from "./global-flags.ts";
import { globalFlags, globalInput } from "./global-flags.ts";
import type { CommandName } from "./outlines.ts";
import type { Session } from "./session.ts";

/** A command's work, its input already normalised. */
export type Run = (session: Session) => Promise<CommandResult>;

/** What the command line asked for. */
export interface ParsedCommand {
  readonly command: string;
  readonly globals: GlobalInput;
  readonly run: Run;
}

/** A command as its file declares it. */
export interface CommandSpec<
  Flags extends Readonly<Record<string, Options>>,
  Positionals extends Readonly<Record<string, PositionalOptions>>,
> {
  readonly positionals: Positionals;
  readonly flags: Flags;
  /** Command line and what it does. */
  readonly examples: readonly (readonly [string, string])[];
  readonly exitCodes: readonly ExitCode[];
  /** Normalises the arguments. Loads the code that does the work only when it is run: `--help` has to be quick. */
  readonly prepare: (args: InferredOptionTypes<Flags> & InferredOptionTypes<Positionals>) => Run;
}

/** A command, ready to be put on the command line. */
export interface Command {
  readonly name: string;
  readonly flagNames: readonly string[];
  /** Its own flags and those that every command takes. */
  readonly flags: Readonly<Record<string, Options>>;
  readonly positionals: Readonly<Record<string, PositionalOptions>>;
  /** Tells yargs of its flags. */
  readonly build: (yargs: Argv) => Argv;
  /** What the parsed arguments ask for. @throws StackferryError `usage` */
  readonly choose: (args: Readonly<Record<string, unknown>>) => ParsedCommand;
}

/** Makes a command of its declaration. */
export function defineCommand<
  Flags extends Readonly<Record<string, Options>>,
  Positionals extends Readonly<Record<string, PositionalOptions>>,
>(name: CommandName, spec: CommandSpec<Flags, Positionals>): Command {
  type Args = InferredOptionTypes<Flags> & InferredOptionTypes<Positionals> & GlobalArgs;
  return {
    name,
    flagNames: [...Object.keys(spec.flags), ...Object.keys(globalFlags)],
    flags: { ...spec.flags, ...globalFlags },
    positionals: spec.positionals,
    build: (yargs) => build(yargs, spec),
    choose: (args) => {
      // yargs types arguments by what its builder answers, which cannot be followed through the generic parameters.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const typed = args as unknown as Args;
      refuseRepeated(args, { ...globalFlags, ...spec.flags });
      return { command: name, globals: globalInput(typed), run: spec.prepare(typed) };
    },
  };
}

/** yargs makes an array of any flag that is given twice, whatever its type says. */
function refuseRepeated(args: Readonly<Record<string, unknown>>, flags: Readonly<Record<string, Options>>): void {
  const repeated = Object.keys(flags).find((name) => flags[name]?.array !== true && Array.isArray(args[name]));
  if (repeated !== undefined) throw new StackferryError("usage", `--${repeated} may be given only once`);
}

/** What of a declaration the help is made of. */
interface Described {
  readonly positionals: Readonly<Record<string, PositionalOptions>>;
  readonly flags: Readonly<Record<string, Options>>;
  readonly examples: readonly (readonly [string, string])[];
  readonly exitCodes: readonly ExitCode[];
}

function build(yargs: Argv, spec: Described): Argv {
  const withPositionals = Object.entries(spec.positionals).reduce<Argv>(
    (built, [name, options]) => built.positional(name, options),
    yargs,
  );
  return withPositionals
    .options(spec.flags)
    .group(Object.keys(spec.flags), "Options:")
    .example(spec.examples.map(([line, effect]): [string, string] => [`$0 ${line}`, effect]))
    .epilogue(
      ["Exit codes:", ...spec.exitCodes.map((code) => `  ${String(code).padEnd(3)}  ${exitCodes[code]}`)].join("\n"),
    );
}
