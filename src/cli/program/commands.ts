import { applyCommand } from "../commands/apply.ts";
import { backupCommand } from "../commands/backup.ts";
import { checkCommand } from "../commands/check.ts";
import { completionCommand } from "../commands/completion.ts";
import { configCommand } from "../commands/config.ts";
import { demoCommand } from "../commands/demo.ts";
import { diffCommand } from "../commands/diff.ts";
import { doctorCommand } from "../commands/doctor.ts";
import { exportCommand } from "../commands/export.ts";
import { importCommand } from "../commands/import.ts";
import { initCommand } from "../commands/init.ts";
import { inspectCommand } from "../commands/inspect.ts";
import { listCommand } from "../commands/list.ts";
import { logCommand } from "../commands/log.ts";
import { migrateCommand } from "../commands/migrate.ts";
import { pruneCommand } from "../commands/prune.ts";
import { reportCommand } from "../commands/report.ts";
import { restoreCommand } from "../commands/restore.ts";
import { rollbackCommand } from "../commands/rollback.ts";
import { sandboxCommand } from "../commands/sandbox.ts";
import { verifyCommand } from "../commands/verify.ts";
import type { Command } from "./command.ts";
import { globalFlags } from "./global-flags.ts";

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  initCommand,
  demoCommand,
  sandboxCommand,
  completionCommand,
  backupCommand,
  restoreCommand,
  listCommand,
  checkCommand,
  pruneCommand,
  exportCommand,
  importCommand,
  migrateCommand,
  rollbackCommand,
  applyCommand,
  diffCommand,
  inspectCommand,
  verifyCommand,
  reportCommand,
  logCommand,
  doctorCommand,
  configCommand,
];

export function findCommand(name: string | undefined): Command | undefined {
  return commands.find((command) => command.name === name);
}

/** Finds the command that a line names, without parsing the line, so that it also works for lines that cannot be parsed. */
export function commandOfLine(argv: readonly string[]): Command | undefined {
  return findCommand(argv.find((word, index) => !word.startsWith("-") && !takesValue(argv[index - 1])));
}

/** Tells whether the word is a global flag that takes a value; only global flags can stand before the command. */
function takesValue(word: string | undefined): boolean {
  return Object.entries(globalFlags).some(([name, flag]) => !("type" in flag) && word === `--${name}`);
}
