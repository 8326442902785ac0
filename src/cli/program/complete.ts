import { commandOfLine, commands } from "./commands.ts";
import type { Command } from "./define-command.ts";
import { globalFlags, type Flags } from "./flags.ts";
import type { CliIo } from "./io.ts";

export async function printCompletions(words: readonly string[], io: CliIo): Promise<void> {
  const [before, current] = [words.slice(0, -1), words.at(-1) ?? ""];
  const command = await commandOfLine(before)?.load();
  const candidates =
    command === undefined
      ? [...commands.map(({ name }) => name), "--help", "--version"]
      : candidatesOf(command, before.at(-1) ?? "", current);
  // For an empty word, flags would hide commands, or files that the shell completes.
  const isMeant = (word: string): boolean => word.startsWith(current) && (current !== "" || !word.startsWith("-"));
  for (const word of candidates.filter(isMeant)) io.stdout.write(`${word}\n`);
}

function candidatesOf({ positionals, flags: own }: Command, previous: string, current: string): readonly string[] {
  const flags: Flags = { ...own, ...globalFlags };
  const flag = previous.startsWith("--") ? flags[previous.slice(2)] : undefined;
  if (flag !== undefined && flag.type !== "boolean") return flag.choices ?? [];
  if (current.startsWith("-")) return [...Object.keys(flags).map((name) => `--${name}`), "--help"];
  return Object.values(positionals).flatMap(({ choices = [] }) => choices);
}
