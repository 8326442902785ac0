import { globalFlags, typedArguments, type Arguments, type Flags, type ParsedWords } from "./flags.ts";
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

/** Gives the run of a command its arguments with their types. */
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

/** Returns the arguments of a command as its synopsis shows them: `<archive>`. */
export function argumentWords({ positionals }: Pick<Command, "positionals">): string {
  return Object.entries(positionals)
    .map(([word, { array }]) => (array === true ? `[${word}..]` : `<${word}>`))
    .join(" ");
}

/** The groups of the help, by what people want to do. */
export const commandGroups = ["Start", "Keep", "Move", "Edit", "Look"] as const;

/** A command in the overview. Its file is loaded only if a line names it. */
export interface ListedCommand {
  readonly name: string;
  readonly group: (typeof commandGroups)[number];
  readonly describe: string;
  readonly load: () => Promise<Command>;
}

/** The first word of a line that the completion scripts send. */
export const COMPLETE_WORD = "--complete";

/** Every command, in the order of the help. */
export const commands: readonly ListedCommand[] = [
  {
    name: "init",
    group: "Start",
    describe: "Ask for a stack and where its key is, try them, and write stackferry.yaml",
    load: async () => (await import("../commands/init.ts")).initCommand,
  },
  {
    name: "demo",
    group: "Start",
    describe: "Run a migration, a backup and a restore on this machine alone, and show each command",
    load: async () => (await import("../commands/demo.ts")).demoCommand,
  },
  {
    name: "sandbox",
    group: "Start",
    describe: "Run a stack on this machine, to try things out",
    load: async () => (await import("../commands/sandbox.ts")).sandboxCommand,
  },
  {
    name: "completion",
    group: "Start",
    describe: "Print the completion script of a shell",
    load: async () => (await import("../commands/completion.ts")).completionCommand,
  },
  {
    name: "backup",
    group: "Keep",
    describe: "Back up stacks into a repository, and remove old backups",
    load: async () => (await import("../commands/backup.ts")).backupCommand,
  },
  {
    name: "restore",
    group: "Keep",
    describe: "Import a backup from a repository onto a live stack",
    load: async () => (await import("../commands/restore.ts")).restoreCommand,
  },
  {
    name: "list",
    group: "Keep",
    describe: "Show the backups in a repository, by their entries; `check` reads the backups themselves",
    load: async () => (await import("../commands/list.ts")).listCommand,
  },
  {
    name: "check",
    group: "Keep",
    describe: "Check that the backups in a repository are undamaged and recent",
    load: async () => (await import("../commands/check.ts")).checkCommand,
  },
  {
    name: "prune",
    group: "Keep",
    describe: "Remove backups that no retention rule keeps",
    load: async () => (await import("../commands/prune.ts")).pruneCommand,
  },
  {
    name: "export",
    group: "Move",
    describe: "Export a live stack into an archive",
    load: async () => (await import("../commands/export.ts")).exportCommand,
  },
  {
    name: "import",
    group: "Move",
    describe: "Import an archive onto a live stack",
    load: async () => (await import("../commands/import.ts")).importCommand,
  },
  {
    name: "migrate",
    group: "Move",
    describe: "Export one stack and import it onto another",
    load: async () => (await import("../commands/migrate.ts")).migrateCommand,
  },
  {
    name: "rollback",
    group: "Move",
    describe: "Undo one run of an import on a stack",
    load: async () => (await import("../commands/rollback.ts")).rollbackCommand,
  },
  {
    name: "apply",
    group: "Edit",
    describe: "Change a stack to match files that people edit",
    load: async () => (await import("../commands/apply.ts")).applyCommand,
  },
  {
    name: "diff",
    group: "Edit",
    describe: "Compare archives and stacks; differences in ids are ignored",
    load: async () => (await import("../commands/diff.ts")).diffCommand,
  },
  {
    name: "inspect",
    group: "Look",
    describe: "Show what an archive holds",
    load: async () => (await import("../commands/inspect.ts")).inspectCommand,
  },
  {
    name: "verify",
    group: "Look",
    describe: "Check every record of an archive against its checksum",
    load: async () => (await import("../commands/verify.ts")).verifyCommand,
  },
  {
    name: "report",
    group: "Look",
    describe: "Draw an archive, or tell the history of a stack, as text or as a page",
    load: async () => (await import("../commands/report.ts")).reportCommand,
  },
  {
    name: "log",
    group: "Look",
    describe: "Show what changed on a stack between its backups",
    load: async () => (await import("../commands/log.ts")).logCommand,
  },
  {
    name: "doctor",
    group: "Look",
    describe: "Test whether stacks and repositories can be reached and accept the key",
    load: async () => (await import("../commands/doctor.ts")).doctorCommand,
  },
  {
    name: "config",
    group: "Look",
    describe: "Check the configuration file, or print its JSON Schema",
    load: async () => (await import("../commands/config.ts")).configCommand,
  },
];

export type NamedCommand = ListedCommand & Command;

export async function loadCommand(listed: ListedCommand): Promise<NamedCommand> {
  return { ...listed, ...(await listed.load()) };
}

/** Finds the command that a line names, without parsing the line, so that it also works for lines that cannot be parsed. */
export function commandOfLine(argv: readonly string[]): ListedCommand | undefined {
  const [first] = wordsOfLine(argv);
  return commands.find(({ name }) => name === first);
}

/** Returns the words of a line that are no flags, as far as can be told without the flags of its command. */
export function wordsOfLine(argv: readonly string[]): string[] {
  return argv.filter((word, index) => !word.startsWith("-") && !takesValue(argv[index - 1]));
}

/** Tells whether the word is a global flag that takes a value; only global flags can stand before the command. */
function takesValue(word: string | undefined): boolean {
  return Object.entries(globalFlags).some(([name, flag]) => !("type" in flag) && word === `--${name}`);
}
