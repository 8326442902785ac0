import type { CommandResult } from "../output/document.ts";
import type { ExitCode } from "./exit-codes.ts";
import { typedArguments, type Arguments, type Flags, type ParsedWords } from "./flag.ts";
import type { Session } from "./session.ts";

/** The groups of the help, by what people want to do. */
export const commandGroups = ["Start", "Keep", "Move", "Edit", "Look"] as const;

/** The work of a command whose arguments are checked. */
export type CommandRun = (session: Session) => Promise<CommandResult>;

/** The texts of a command that the help, the completion, the man page and the docs show. */
interface CommandTexts {
  readonly name: string;
  readonly group: (typeof commandGroups)[number];
  readonly describe: string;
  /** Pairs of a command line and its effect. */
  readonly examples: readonly (readonly [string, string])[];
  readonly exitCodes: readonly ExitCode[];
}

export interface Command extends CommandTexts {
  /** In the order of the command line. */
  readonly positionals: Flags;
  readonly flags: Flags;
  /** Checks the arguments that yargs parsed, before anything else happens. @throws StackferryError `usage` */
  readonly prepare: (parsed: ParsedWords) => CommandRun;
}

/**
 * Defines a command. Every start of the program loads the files of all commands, so a file imports at its top only modules that load
 * fast, and the run imports the rooms that do the work.
 */
export function defineCommand<const Positionals extends Flags, const Own extends Flags>({
  handler,
  ...command
}: CommandTexts & {
  readonly positionals: Positionals;
  readonly flags: Own;
  /** Checks the arguments, and returns the run. @throws StackferryError `usage` */
  readonly handler: (args: Arguments<Positionals & Own>) => CommandRun;
}): Command {
  const declared: Positionals & Own = { ...command.positionals, ...command.flags };
  return { ...command, prepare: (parsed) => handler(typedArguments(declared, parsed)) };
}

/** Returns the arguments of a command as its synopsis shows them: `<archive>`. */
export function argumentWords({ positionals }: Pick<Command, "positionals">): string {
  return Object.entries(positionals)
    .map(([word, { array }]) => (array === true ? `[${word}..]` : `<${word}>`))
    .join(" ");
}
