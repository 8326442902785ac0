import yargs, { type Argv, type Options, type PositionalOptions } from "yargs";
import { StackferryError } from "../../../core/errors.ts";
import { programVersion } from "../../../library/steps/version.ts";
import type { CommandOutline, Flag, Flags, ParsedWords } from "../../flags/outline.ts";
import type { PrepareRun, CommandRun } from "./define-command.ts";
import { globalFlags, parseGlobalFlags, parserConfiguration, type GlobalInput } from "./global-flags.ts";
import { hideFromHelp, addCommandHelp, describedFlag, requestedHelp, type RequestedHelp } from "./command-help.ts";
import { commandOutlines, flagName, flagWords, type CommandName, type NamedOutline } from "./outlines.ts";

/** A command with its arguments parsed, ready to be run. */
export interface ParsedCommand {
  readonly command: CommandName;
  readonly globals: GlobalInput;
  readonly run: CommandRun;
}

/** A command to run, or a help text to print. The text is empty if the line names no command. */
export type ParsedLine = { readonly parsedCommand: ParsedCommand } | { readonly text: string };

/** Parses the command line, without running the command. @throws StackferryError `usage` */
export async function parseCommandLine(argv: readonly string[], columns: number): Promise<ParsedLine> {
  let parsedCommand: ParsedCommand | undefined;
  let text = "";
  const help = requestedHelp(argv);
  const parser = yargs()
    .scriptName("stackferry")
    .exitProcess(false)
    .locale("en")
    .parserConfiguration(parserConfiguration)
    .options(allOptions(globalFlags))
    .command(
      commandOutlines.map((outline) => ({
        command: `${outline.name} ${outline.arguments}`.trimEnd(),
        describe: outline.describe,
        builder: (yargs: Argv) => build(yargs, outline, help, columns),
        handler: async (args: ParsedWords) => {
          refusePositionalFlags(argv, outline);
          parsedCommand = await prepare(outline, args);
        },
      })),
    )
    .strict()
    .help()
    .version(programVersion())
    .wrap(columns)
    .fail((message, error) => {
      throw error instanceof Error ? error : new Refusal(message);
    });
  try {
    await parser.parseAsync([...argv], {}, (_error, _argv, output) => {
      text = output;
    });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const { usageError } = await import("./usage-error.ts");
    throw usageError(error, argv);
  }
  return parsedCommand === undefined ? { text } : { parsedCommand };
}

/** The error for a line that yargs refused, with the message of yargs. */
class Refusal extends Error {}

/**
 * Tells whether yargs refused the line. For a flag without a value, yargs throws a YError of its own. Every other error comes from
 * this program, and is rethrown unchanged.
 */
function isRefusal(error: unknown): error is Error {
  return error instanceof Refusal || (error instanceof Error && error.name === "YError");
}

async function prepare({ name, positionals, flags }: NamedOutline, args: ParsedWords): Promise<ParsedCommand> {
  const allFlags = { ...globalFlags, ...flags };
  refuseRepeated(args, allFlags);
  refuseEmpty(args, positionals, "");
  refuseEmpty(args, allFlags, "--");
  refuseDash(args, allFlags);
  const command = await loadCommand[name]();
  return { command: name, globals: parseGlobalFlags(args), run: command(args) };
}

/** Declares arguments and flags to yargs. Descriptions and examples are declared only for a help text. */
function build(yargs: Argv, outline: NamedOutline, help: RequestedHelp, columns: number): Argv {
  if (help === "none") return hideFromHelp(declare(yargs, outline), outline);
  const [positionals, flags] = [outline.positionals, outline.flags].map((declared) =>
    Object.fromEntries(Object.entries(declared).map(([name, flag]) => [name, describedFlag(flag)])),
  );
  const described = { ...outline, positionals: positionals ?? {}, flags: flags ?? {} };
  return addCommandHelp(declare(yargs, described), outline, help === "all", columns);
}

/** Refuses an argument that is given as a flag, such as `--repository REPO`: to yargs, a positional is also an option. */
function refusePositionalFlags(argv: readonly string[], { positionals, flags }: NamedOutline): void {
  const names = Object.keys(positionals).filter((name) => flags[name] === undefined);
  const given = flagWords(argv).find((word) => names.includes(flagName(word)));
  if (given !== undefined) throw new Refusal(`Unknown argument: ${given}`);
}

/** Refuses a repeated flag that takes one value: yargs makes an array of the values, whatever the flag's type. */
function refuseRepeated(args: ParsedWords, flags: Flags): void {
  const repeated = Object.keys(flags).find((name) => flags[name]?.array !== true && Array.isArray(args[name]));
  if (repeated !== undefined) throw new StackferryError("usage", `--${repeated} may be given only once`);
}

/**
 * Refuses an empty value, which a script gives for a variable that is not set: an empty path would be the working directory, and an
 * empty pattern would match the records without a name.
 */
function refuseEmpty(args: ParsedWords, declared: Flags, prefix: "" | "--"): void {
  const empty = Object.keys(declared).find((name) => [args[name]].flat().includes(""));
  if (empty === undefined) return;
  const hint = "give it a value, or leave it out; is a variable on the command line not set?";
  throw new StackferryError("usage", `the value of ${prefix}${empty} is empty`, { hint });
}

/** Refuses `-` as a file to write: in other programs it means the standard output, and here it would be a file called `-`. */
function refuseDash(args: ParsedWords, flags: Flags): void {
  const name = Object.keys(flags).find((flag) => flags[flag]?.writes === true && args[flag] === "-");
  if (name === undefined) return;
  throw new StackferryError(
    "usage",
    `--${name} writes a file, and - is no name for one: it never writes to the standard output`,
    {
      hint: "name a file; write ./- for a file that is called -",
    },
  );
}

function declare(yargs: Argv, outline: CommandOutline): Argv {
  const withPositionals = Object.entries(outline.positionals).reduce<Argv>(
    (built, [name, flag]) => built.positional(name, optionsOf(flag)),
    yargs,
  );
  // The help of a command does not show these flags, because the overview (`stackferry --help`) lists them once.
  for (const name of [...Object.keys(globalFlags), "version"]) yargs.hide(name);
  return withPositionals.options(allOptions(outline.flags));
}

function allOptions(flags: Flags): Record<string, Options> {
  return Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, optionsOf(flag)]));
}

function optionsOf({
  advanced: _advanced,
  writes: _writes,
  completes: _completes,
  bare,
  ...flag
}: Flag): Options & PositionalOptions {
  if (flag.type === "boolean") return flag;
  // Without a type, yargs parses a flag that has no value as true.
  if (bare !== undefined) return { ...flag, coerce: (given: unknown) => withBare(given, bare) };
  return { ...flag, requiresArg: true, ...(flag.choices === undefined && { type: "string" }) };
}

function withBare(given: unknown, bare: string): unknown {
  return Array.isArray(given) ? given.map((value) => withBare(value, bare)) : given === true ? bare : given;
}

/** By command: a function that loads the command's file. Loading all of them would slow the start. */
const loadCommand: Readonly<Record<CommandName, () => Promise<PrepareRun>>> = {
  init: async () => (await import("../../commands/init.ts")).initCommand,
  export: async () => (await import("../../commands/export.ts")).exportCommand,
  inspect: async () => (await import("../../commands/inspect.ts")).inspectCommand,
  verify: async () => (await import("../../commands/verify.ts")).verifyCommand,
  report: async () => (await import("../../commands/report.ts")).reportCommand,
  import: async () => (await import("../../commands/import.ts")).importCommand,
  apply: async () => (await import("../../commands/apply.ts")).applyCommand,
  migrate: async () => (await import("../../commands/migrate.ts")).migrateCommand,
  rollback: async () => (await import("../../commands/rollback.ts")).rollbackCommand,
  diff: async () => (await import("../../commands/diff.ts")).diffCommand,
  backup: async () => (await import("../../commands/backup.ts")).backupCommand,
  list: async () => (await import("../../commands/list.ts")).listCommand,
  log: async () => (await import("../../commands/log.ts")).logCommand,
  restore: async () => (await import("../../commands/restore.ts")).restoreCommand,
  prune: async () => (await import("../../commands/prune.ts")).pruneCommand,
  check: async () => (await import("../../commands/check.ts")).checkCommand,
  doctor: async () => (await import("../../commands/doctor.ts")).doctorCommand,
  config: async () => (await import("../../commands/config.ts")).configCommand,
  sandbox: async () => (await import("../../commands/sandbox.ts")).sandboxCommand,
  demo: async () => (await import("../../commands/demo.ts")).demoCommand,
  completion: async () => (await import("../../commands/completion.ts")).completionCommand,
};
