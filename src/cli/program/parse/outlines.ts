import { archiveCommands } from "../../flags/archive-commands.ts";
import { backupCommands } from "../../flags/backup-commands.ts";
import { otherCommands } from "../../flags/other-commands.ts";
import type { Arguments, CommandOutline } from "../../flags/outline.ts";
import { globalFlags } from "./global-flags.ts";

const outlines = { ...archiveCommands, ...backupCommands, ...otherCommands };

export type CommandName = keyof typeof outlines;

/** The parsed arguments that a command receives. */
export type ArgumentsOf<Name extends CommandName> = Arguments<
  (typeof outlines)[Name]["positionals"] & (typeof outlines)[Name]["flags"]
>;

export interface NamedOutline extends CommandOutline {
  readonly name: CommandName;
  /** The arguments after the name: `<archive>`. */
  readonly arguments: string;
}

/** Every command, in the order of the help. */
export const commandOutlines: readonly NamedOutline[] = Object.keys(outlines).filter(isCommandName).map(outlineOf);

export function outlineOf(name: CommandName): NamedOutline {
  const outline: CommandOutline = outlines[name];
  const words = Object.entries(outline.positionals).map(([word, { array }]) => (array ? `[${word}..]` : `<${word}>`));
  return { name, arguments: words.join(" "), ...outline };
}

function isCommandName(word: string): word is CommandName {
  return Object.hasOwn(outlines, word);
}

/** The first word of a line that the completion scripts send. */
export const COMPLETE_WORD = "--complete";

/** Finds the command that a line names, without parsing the line, so that it also works for lines that cannot be parsed. */
export function commandNameOf(argv: readonly string[]): CommandName | undefined {
  const first = argv.find((word, index) => !word.startsWith("-") && !takesValue(argv[index - 1]));
  return first !== undefined && isCommandName(first) ? first : undefined;
}

/** Tells whether the word is a global flag that takes a value; only global flags can stand before the command. */
function takesValue(word: string | undefined): boolean {
  return Object.entries(globalFlags).some(([name, flag]) => !("type" in flag) && word === `--${name}`);
}

/** Lists the words of a line that are flags; words after `--` are not. */
export function flagWords(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  return argv.slice(0, end === -1 ? undefined : end).filter((word) => /^--?[^-\d]/.test(word));
}

export function flagName(word: string): string {
  return word.replace(/^--?/, "").split("=")[0] ?? "";
}
