import { globalFlags } from "./global-flags.ts";
import type { CommandName } from "./outlines.ts";
import { commandOutlines } from "./outlines.ts";

/** Finds the command that a line names, without parsing the line, so that it also works for lines that cannot be parsed. */
export function commandNameOf(argv: readonly string[]): CommandName | undefined {
  const first = argv.find((word, index) => !word.startsWith("-") && !takesValue(argv[index - 1]));
  return commandOutlines.find(({ name }) => name === first)?.name;
}

/** Tells whether the word is a global flag that takes a value; only global flags can stand before the command. */
function takesValue(word: string | undefined): boolean {
  return Object.entries(globalFlags).some(([name, flag]) => "requiresArg" in flag && word === `--${name}`);
}
