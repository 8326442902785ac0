import { COMPLETE_WORD } from "../../src/cli/program/parse/outlines.ts";

const ASKS = ["import", "apply", "migrate", "restore", "rollback", "prune"];

const commandOf = (args: readonly string[]): string => args.find((arg) => !arg.startsWith("-")) ?? "";

/**
 * The words of a run that has no terminal, with `--yes` where the command would ask: as a schedule gives it.
 * test/behaviour/untrue-messages.test.ts tries the runs without it.
 */
export function withYes(args: readonly string[]): readonly string[] {
  if (args[0] === COMPLETE_WORD) return args;
  const needsNone = ["--yes", "--dry-run", "--list", "--help"].some((flag) => args.includes(flag));
  return ASKS.includes(commandOf(args)) && !needsNone ? [...args, "--yes"] : args;
}

/** The words with no wait for lists that lag, unless they name one: those of a sandbox do not. */
export function withoutWait(args: readonly string[]): readonly string[] {
  const waits = args[0] !== COMPLETE_WORD && ASKS.includes(commandOf(args)) && commandOf(args) !== "prune";
  return waits && !args.includes("--consistency-wait") ? [...args, "--consistency-wait", "1ms"] : args;
}
