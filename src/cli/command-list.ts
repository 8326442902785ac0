import { backupCommand } from "./commands/backup.ts";
import { checkCommand } from "./commands/check.ts";
import { completionCommand } from "./commands/completion.ts";
import { configCommand } from "./commands/config.ts";
import { demoCommand } from "./commands/demo.ts";
import { diffCommand } from "./commands/diff.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { exportCommand } from "./commands/export.ts";
import { importCommand } from "./commands/import.ts";
import { inspectCommand } from "./commands/inspect.ts";
import { listCommand } from "./commands/list.ts";
import { migrateCommand } from "./commands/migrate.ts";
import { pruneCommand } from "./commands/prune.ts";
import { reportCommand } from "./commands/report.ts";
import { restoreCommand } from "./commands/restore.ts";
import { rollbackCommand } from "./commands/rollback.ts";
import { sandboxCommand } from "./commands/sandbox.ts";
import { verifyCommand } from "./commands/verify.ts";
import type { Command } from "./define-command.ts";

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  exportCommand,
  inspectCommand,
  verifyCommand,
  reportCommand,
  importCommand,
  migrateCommand,
  rollbackCommand,
  diffCommand,
  backupCommand,
  listCommand,
  restoreCommand,
  pruneCommand,
  checkCommand,
  doctorCommand,
  configCommand,
  sandboxCommand,
  demoCommand,
  completionCommand,
];
