import { COMPLETE_WORD } from "../../src/cli/program/flags.ts";

const ASKS = ["import", "apply", "migrate", "restore", "rollback", "prune"];

const commandOf = (args: readonly string[]): string => args.find((arg) => !arg.startsWith("-")) ?? "";

/**
 * Adds `--yes` to the arguments of commands that would ask for confirmation, as an unattended run does.
 * test/behaviour/untrue-messages.test.ts tests runs without it.
 */
export function withYes(args: readonly string[]): readonly string[] {
  if (args[0] === COMPLETE_WORD) return args;
  const needsNone = ["--yes", "--dry-run", "--list", "--help"].some((flag) => args.includes(flag));
  return ASKS.includes(commandOf(args)) && !needsNone ? [...args, "--yes"] : args;
}
