/** The candidates for a word: names of stacks, names of repositories, backups as REPO/STACK, or comma-separated kinds of records. */
export type CompletionCandidates = "stacks" | "repositories" | "backups" | "kinds";

/** A flag, or an argument without a name. It takes a text, unless it is a boolean. */
export interface Flag {
  readonly type?: "boolean";
  /** The letter of the short form. */
  readonly alias?: string;
  readonly array?: true;
  readonly choices?: readonly string[];
  /** The choice that the flag means if it is given without a value. */
  readonly bare?: string;
  readonly default?: string;
  readonly demandOption?: boolean;
  readonly describe: string;
  /** Set for a flag that few runs need. Only `--help --all` shows it. */
  readonly advanced?: true;
  /** Set for the path of a file or folder that the command writes. */
  readonly writes?: true;
  readonly completes?: CompletionCandidates | readonly CompletionCandidates[];
}

export type Flags = Readonly<Record<string, Flag>>;

type CamelCase<Name> = Name extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Name;

type Single<F> = F extends { readonly choices: readonly (infer Choice)[] } ? Choice : string;

type Value<F> = F extends { readonly type: "boolean" }
  ? boolean
  : F extends { readonly array: true }
    ? readonly string[]
    : F extends { readonly demandOption: true } | { readonly default: string }
      ? Single<F>
      : Single<F> | undefined;

/**
 * The values of flags under their names in camel case. If the line does not give a flag, a boolean is false, and a list is empty.
 */
export type Arguments<Declared> = { readonly [Name in keyof Declared as CamelCase<Name>]: Value<Declared[Name]> };

/** The values that yargs parsed, under the names of the flags. */
export type ParsedWords = Readonly<Record<string, unknown>>;

/** Returns the values that yargs parsed and checked, under the names of `Arguments`. */
export function typedArguments<Declared extends Flags>(declared: Declared, parsed: ParsedWords): Arguments<Declared> {
  const values = Object.entries(declared).map(([name, { type, array }]) => {
    const absent = type === "boolean" ? false : array === true ? [] : undefined;
    return [name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()), parsed[name] ?? absent];
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(values) as Arguments<Declared>;
}
