import type { Argv, CommandModule } from "yargs";
import yargs from "yargs";
import { programVersion } from "../../library/version.ts";
import type { Command, ParsedCommand } from "./define-command.ts";
import { globalFlags } from "./global-flags.ts";
import type { CommandName } from "./outlines.ts";
import { commandOutlines } from "./outlines.ts";

/** What the command line came to: a command to run, or a text (its help) to print; empty where no command is named. */
export type Parsed = { readonly parsedCommand: ParsedCommand } | { readonly text: string };

/**
 * Reads the command line. Nothing is run yet.
 * @throws StackferryError `usage` for anything not understood.
 */
export async function parseCommandLine(argv: readonly string[], columns: number): Promise<Parsed> {
  let parsedCommand: ParsedCommand | undefined;
  let text = "";
  const parser = yargs()
    .scriptName("stackferry")
    .exitProcess(false)
    .locale("en")
    .updateStrings(MESSAGES)
    .parserConfiguration({
      "boolean-negation": false,
      "camel-case-expansion": false,
      "dot-notation": false,
      "greedy-arrays": false,
      "parse-numbers": false,
      "strip-aliased": true,
    })
    .options(globalFlags)
    .group([...Object.keys(globalFlags), "help", "version"], "Everywhere:")
    .command(commandOutlines.map((outline) => lazily(outline, (chosen) => (parsedCommand = chosen))))
    .strict()
    .help()
    .version(programVersion())
    .wrap(columns)
    .fail((message, error) => {
      throw error instanceof Error ? error : new NotUnderstood(message);
    });
  try {
    await parser.parseAsync([...argv], {}, (_error, _argv, output) => {
      text = output;
    });
  } catch (error) {
    throw isOfYargs(error) ? await inWords(error, argv) : error;
  }
  return parsedCommand === undefined ? { text } : { parsedCommand };
}

/** Something that yargs did not understand, in its own words. */
class NotUnderstood extends Error {}

/** What yargs itself throws (a flag without its value) has the name YError; the rest is ours and goes on unchanged. */
function isOfYargs(error: unknown): error is Error {
  return error instanceof NotUnderstood || (error instanceof Error && error.name === "YError");
}

async function inWords({ message }: Error, argv: readonly string[]): Promise<Error> {
  const { commandNameOf, usageError } = await import("./usage-error.ts");
  const name = commandNameOf(argv);
  return usageError(message, argv, name && (await loadCommand[name]()));
}

/** The yargs module of a command. yargs throws handlers' results away, so the handler hands the choice over. */
function lazily(
  { name, describe, ...outline }: (typeof commandOutlines)[number],
  choose: (parsedCommand: ParsedCommand) => void,
): CommandModule<object, object> {
  const load = loadCommand[name];
  return {
    command: "arguments" in outline ? `${name} ${outline.arguments}` : name,
    describe,
    builder: async (yargs: Argv) => (await load()).build(yargs),
    handler: async (args) => choose((await load()).choose(args)),
  };
}

/** Words of yargs in a form that people can use. The others, with a plural, are recognised in `misuse`. */
const MESSAGES = {
  "Invalid values:": "invalid value:",
  "Argument: %s, Given: %s, Choices: %s": "--%s is %s, expected one of %s",
};

/** Loads a command's file. */
export const loadCommand: Readonly<Record<CommandName, () => Promise<Command>>> = {
  export: async () => (await import("../commands/export.ts")).exportCommand,
  inspect: async () => (await import("../commands/inspect.ts")).inspectCommand,
  verify: async () => (await import("../commands/verify.ts")).verifyCommand,
  report: async () => (await import("../commands/report.ts")).reportCommand,
  import: async () => (await import("../commands/import.ts")).importCommand,
  migrate: async () => (await import("../commands/migrate.ts")).migrateCommand,
  rollback: async () => (await import("../commands/rollback.ts")).rollbackCommand,
  diff: async () => (await import("../commands/diff.ts")).diffCommand,
  backup: async () => (await import("../commands/backup.ts")).backupCommand,
  list: async () => (await import("../commands/list.ts")).listCommand,
  restore: async () => (await import("../commands/restore.ts")).restoreCommand,
  prune: async () => (await import("../commands/prune.ts")).pruneCommand,
  check: async () => (await import("../commands/check.ts")).checkCommand,
  doctor: async () => (await import("../commands/doctor.ts")).doctorCommand,
  config: async () => (await import("../commands/config.ts")).configCommand,
  sandbox: async () => (await import("../commands/sandbox.ts")).sandboxCommand,
  demo: async () => (await import("../commands/demo.ts")).demoCommand,
  completion: async () => (await import("../commands/completion.ts")).completionCommand,
};
