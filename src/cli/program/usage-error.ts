import { StackferryError } from "../../core/errors.ts";
import { closestName } from "../../core/similarity.ts";
import type { Command } from "./define-command.ts";
import { globalFlags } from "./global-flags.ts";
import type { CommandName } from "./outlines.ts";
import { commandOutlines } from "./outlines.ts";

/** Says what is wrong with a line that yargs could not make sense of. @param command the one that the line names */
export function usageError(message: string, argv: readonly string[], command: Command | undefined): StackferryError {
  const help = `stackferry${command === undefined ? "" : ` ${command.name}`} --help shows what there is`;
  const known = command?.flagNames ?? Object.keys(globalFlags);
  const flag = argv.find((word) => /^--?[^-\d]/.test(word) && ![...known, "help", "version"].includes(flagName(word)));
  // A mistyped flag often is the one that is missing, so it is named first.
  if (flag !== undefined) {
    const hint = didYouMean("--", flagName(flag), known, help);
    return new StackferryError("usage", `unknown option ${flag.split("=")[0] ?? ""}`, { hint });
  }
  const missing = /^Missing required arguments?: (.+)$/.exec(message)?.[1];
  if (missing !== undefined) {
    return new StackferryError("usage", `missing: ${missing.replaceAll(/[^, ]+/g, "--$&")}`, { hint: help });
  }
  const unknown = /^Unknown arguments?: ([^,]+)/.exec(message)?.[1]?.trim();
  if (unknown === undefined) return new StackferryError("usage", sentence(message), { hint: help });
  if (command !== undefined) return new StackferryError("usage", `unexpected argument "${unknown}"`, { hint: help });
  const names = commandOutlines.map((outline) => outline.name);
  return new StackferryError("usage", `unknown command "${unknown}"`, { hint: didYouMean("", unknown, names, help) });
}

/** What a line without a command is answered, below the help. */
export function commandMissing(): StackferryError {
  return new StackferryError("usage", "a command is missing", { hint: "the commands are listed above" });
}

/** The command that a line names, for messages about lines that could not be read. */
export function commandNameOf(argv: readonly string[]): CommandName | undefined {
  const takesValue = (word: string | undefined): boolean =>
    Object.entries(globalFlags).some(([name, flag]) => "requiresArg" in flag && word === `--${name}`);
  const first = argv.find((word, index) => !word.startsWith("-") && !takesValue(argv[index - 1]));
  return commandOutlines.find(({ name }) => name === first)?.name;
}

function flagName(word: string): string {
  return word.replace(/^--?/, "").split("=")[0] ?? "";
}

function didYouMean(prefix: string, typed: string, known: readonly string[], otherwise: string): string {
  const meant = closestName(typed, known);
  return meant === undefined ? otherwise : `did you mean ${prefix}${meant}?`;
}

function sentence(text: string): string {
  return (text.charAt(0).toLowerCase() + text.slice(1)).replaceAll(/\s+/g, " ");
}
