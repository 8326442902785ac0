import { demoCommand } from "./commands/demo.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { exportCommand } from "./commands/export.ts";
import { importCommand } from "./commands/import.ts";
import { inspectCommand } from "./commands/inspect.ts";
import { migrateCommand } from "./commands/migrate.ts";
import { rollbackCommand } from "./commands/rollback.ts";
import { sandboxCommand } from "./commands/sandbox.ts";
import { verifyCommand } from "./commands/verify.ts";
import type { Command } from "./define-command.ts";

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  exportCommand,
  inspectCommand,
  verifyCommand,
  importCommand,
  migrateCommand,
  rollbackCommand,
  doctorCommand,
  sandboxCommand,
  demoCommand,
];
