import type { Command } from "./define-command.ts";
import type { CommandName } from "./outlines.ts";

/**
 * By command: a function that loads the command's file. Only one file is loaded, because loading all of them would slow the start.
 */
export const loadCommand: Readonly<Record<CommandName, () => Promise<Command>>> = {
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
