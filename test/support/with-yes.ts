import { COMPLETE } from "../../src/cli/program/parse/outlines.ts";

const ASKS = ["import", "apply", "migrate", "restore", "rollback", "prune"];

/**
 * The words of a run that has no terminal, with `--yes` where the command would ask: as a schedule gives it.
 * What happens without it is tested in test/behaviour/nobody-to-ask.test.ts.
 */
export function withYes(args: readonly string[]): readonly string[] {
  if (args[0] === COMPLETE) return args;
  const asks = ASKS.includes(args.find((arg) => !arg.startsWith("-")) ?? "");
  const needsNone = ["--yes", "--dry-run", "--list", "--help"].some((flag) => args.includes(flag));
  return asks && !needsNone ? [...args, "--yes"] : args;
}
