import { globalFlags } from "./flags.ts";
import type { Command } from "./define-command.ts";

/** A file is loaded only if the command line names its command. */
const files = {
  init: () => import("../commands/init.ts"),
  demo: () => import("../commands/demo.ts"),
  sandbox: () => import("../commands/sandbox.ts"),
  completion: () => import("../commands/completion.ts"),
  backup: () => import("../commands/backup.ts"),
  restore: () => import("../commands/restore.ts"),
  list: () => import("../commands/list.ts"),
  check: () => import("../commands/check.ts"),
  prune: () => import("../commands/prune.ts"),
  export: () => import("../commands/export.ts"),
  import: () => import("../commands/import.ts"),
  migrate: () => import("../commands/migrate.ts"),
  rollback: () => import("../commands/rollback.ts"),
  apply: () => import("../commands/apply.ts"),
  diff: () => import("../commands/diff.ts"),
  inspect: () => import("../commands/inspect.ts"),
  verify: () => import("../commands/verify.ts"),
  report: () => import("../commands/report.ts"),
  log: () => import("../commands/log.ts"),
  doctor: () => import("../commands/doctor.ts"),
  config: () => import("../commands/config.ts"),
};

/** In the order of the help. */
export const commandGroups: Readonly<Record<string, readonly (readonly [keyof typeof files, string])[]>> = {
  Start: [
    ["init", "Ask for a stack and where its key is, try them, and write stackferry.yaml"],
    ["demo", "Run a migration, a backup and a restore on this machine alone, and show each command"],
    ["sandbox", "Run a stack on this machine, to try things out"],
    ["completion", "Print the completion script of a shell"],
  ],
  Keep: [
    ["backup", "Back up stacks into a repository, and remove old backups"],
    ["restore", "Import a backup from a repository onto a live stack"],
    ["list", "Show the backups in a repository, by their entries; `check` reads the backups themselves"],
    ["check", "Check that the backups in a repository are undamaged and recent"],
    ["prune", "Remove backups that no retention rule keeps"],
  ],
  Move: [
    ["export", "Export a live stack into an archive"],
    ["import", "Import an archive onto a live stack"],
    ["migrate", "Export one stack and import it onto another"],
    ["rollback", "Undo one run of an import on a stack"],
  ],
  Edit: [
    ["apply", "Change a stack to match files that people edit"],
    ["diff", "Compare archives and stacks; differences in ids are ignored"],
  ],
  Look: [
    ["inspect", "Show what an archive holds"],
    ["verify", "Check every record of an archive against its checksum"],
    ["report", "Draw an archive, or tell the history of a stack, as text or as a page"],
    ["log", "Show what changed on a stack between its backups"],
    ["doctor", "Test whether stacks and repositories can be reached and accept the key"],
    ["config", "Check the configuration file, or print its JSON Schema"],
  ],
};

export interface ListedCommand {
  readonly name: string;
  readonly describe: string;
  readonly load: () => Promise<NamedCommand>;
}

export type NamedCommand = Command & Pick<ListedCommand, "name" | "describe">;

export const commands: readonly ListedCommand[] = Object.values(commandGroups)
  .flat()
  .map(([name, describe]) => ({
    name,
    describe,
    load: async () => ({ name, describe, ...(await files[name]()).command }),
  }));

/** Does not parse the line, and so works for lines that cannot be parsed. */
export function commandOfLine(argv: readonly string[]): ListedCommand | undefined {
  const [first] = wordsOfLine(argv);
  return commands.find(({ name }) => name === first);
}

/** Values of a command's own flags are included. */
export function wordsOfLine(argv: readonly string[]): string[] {
  return argv.filter((_, index) => isWord(argv, index));
}

export function withoutCommand(argv: readonly string[]): string[] {
  const at = argv.findIndex((_, index) => isWord(argv, index));
  return argv.filter((_, index) => index !== at);
}

function isWord(argv: readonly string[], index: number): boolean {
  return argv[index]?.startsWith("-") === false && !takesValue(argv[index - 1]);
}

/** Knows only global flags, because no other flag can stand before the command. */
function takesValue(word: string | undefined): boolean {
  return Object.entries(globalFlags).some(([name, flag]) => !("type" in flag) && word === `--${name}`);
}
