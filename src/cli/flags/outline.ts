import type { Options, PositionalOptions } from "yargs";
import type { ExitCode } from "../program/exit-codes.ts";

/**
 * The candidates for a word: names of stacks or of repositories from the configuration file, REPO/STACK made from both, or kinds of
 * records separated by commas.
 */
export type Completed = "stacks" | "repositories" | "backups" | "kinds";

export interface Flag extends Options {
  /** Set for a flag that few runs need. Only `--help --all` shows it. */
  readonly advanced?: true;
  readonly completes?: Completed | readonly Completed[];
}

export interface Positional extends PositionalOptions {
  readonly completes?: Completed | readonly Completed[];
}

/** All that a command line can say of a command: for the help, the parser, the completion and the man page. */
export interface CommandOutline {
  readonly describe: string;
  /** In the order of the command line. */
  readonly positionals: Readonly<Record<string, Positional>>;
  readonly flags: Readonly<Record<string, Flag>>;
  /** Pairs of a command line and its effect. */
  readonly examples: readonly (readonly [string, string])[];
  readonly exitCodes: readonly ExitCode[];
}

type CamelCase<Name> = Name extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Name;

type Single<F> = F extends { readonly choices: readonly (infer Choice)[] } ? Choice : string;

type Value<F> = F extends { readonly type: "boolean" }
  ? boolean
  : F extends { readonly array: true }
    ? readonly string[]
    : F extends { readonly demandOption: true } | { readonly default: string }
      ? Single<F>
      : Single<F> | undefined;

/** The values of flags under their names in camel case. A boolean is false, and a list empty, if the line does not give it. */
export type Arguments<Flags> = { readonly [Name in keyof Flags as CamelCase<Name>]: Value<Flags[Name]> };

/** Returns what yargs parsed of these flags in the form of `Arguments`. */
export function argumentsOf(
  flags: Readonly<Record<string, Flag | Positional>>,
  parsed: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(flags).map(([name, { type, array }]) => {
      const absent = type === "boolean" ? false : array === true ? [] : undefined;
      return [name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()), parsed[name] ?? absent];
    }),
  );
}
