import { typedArguments, type Arguments, type Flags, type ParsedWords } from "./flags.ts";
import type { CommandResult } from "../output/document.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { Session } from "./session.ts";

export interface Command {
  /** In the order of the command line. */
  readonly positionals: Flags;
  readonly flags: Flags;
  /** Pairs of a command line and its effect. */
  readonly examples: readonly (readonly [string, string])[];
  readonly exitCodes: readonly ExitCode[];
  readonly run: (parsed: ParsedWords, session: Session) => Promise<CommandResult>;
}

export function defineCommand<const Positionals extends Flags, const Own extends Flags>({
  run,
  ...command
}: Omit<Command, "run" | "positionals" | "flags"> & {
  readonly positionals: Positionals;
  readonly flags: Own;
  readonly run: (args: Arguments<Positionals & Own>, session: Session) => Promise<CommandResult>;
}): Command {
  const declared: Positionals & Own = { ...command.positionals, ...command.flags };
  return { ...command, run: async (parsed, session) => run(typedArguments(declared, parsed), session) };
}

export function argumentWords({ positionals }: Pick<Command, "positionals">): string {
  return Object.entries(positionals)
    .map(([word, { array }]) => (array === true ? `[${word}..]` : `<${word}>`))
    .join(" ");
}
