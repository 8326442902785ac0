import { typedArguments, type ParsedWords } from "../../flags/outline.ts";
import type { CommandResult } from "../../output/document.ts";
import type { Session } from "../session.ts";
import { outlineOf, type ArgumentsOf, type CommandName } from "./outlines.ts";

/** The work of a command whose arguments are prepared. */
export type CommandRun = (session: Session) => Promise<CommandResult>;

/** Prepares a run from the arguments that yargs parsed. @throws StackferryError `usage` */
export type PrepareRun = (parsed: ParsedWords) => CommandRun;

/** The arguments are declared in `src/cli/flags`, so that a help text is shown without loading the command's code. */
export function defineCommand<Name extends CommandName, Request>(
  name: Name,
  command: {
    /** Checks the arguments before anything else happens. @throws StackferryError `usage` */
    readonly prepare: (args: ArgumentsOf<Name>) => Request;
    readonly run: (request: Request, session: Session) => Promise<CommandResult>;
  },
): PrepareRun {
  const { positionals, flags } = outlineOf(name);
  return (parsed) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const request = command.prepare(typedArguments({ ...positionals, ...flags }, parsed) as ArgumentsOf<Name>);
    return (session) => command.run(request, session);
  };
}
