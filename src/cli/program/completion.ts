import type { Options } from "yargs";
import { loadConfig } from "../../config/load-config.ts";
import type { Command } from "./define-command.ts";
import type { CliIo } from "./io.ts";
import { commandOutlines } from "./outlines.ts";
import { loadCommand } from "./parse.ts";

/** What the words of a command line are completed from. */
export interface CompletionBasis {
  readonly commands: readonly Command[];
  /** Names of configured stacks or repositories; asked for only where one could stand. */
  readonly configured: (what: "stacks" | "repositories") => Promise<readonly string[]>;
}

/**
 * What the last word of a line could become; empty where only the user, or the shell's own file names, can tell.
 * @param words the line after the program's name, the last one being typed and perhaps empty.
 */
async function completeWords(words: readonly string[], basis: CompletionBasis): Promise<string[]> {
  const { commands, configured } = basis;
  const current = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const command = commands.find(({ name }) => before.includes(name));
  const begun = (candidates: readonly string[]): string[] => candidates.filter((each) => each.startsWith(current));
  if (command === undefined) return begun(current.startsWith("-") ? ["--help", "--version"] : names(commands));

  const previous = before.at(-1) ?? "";
  const flag = previous.startsWith("--") ? command.flags[previous.slice(2)] : undefined;
  if (flag?.choices !== undefined) return begun(flag.choices.map(String));
  if (flag?.type === "string") return begun(await configuredFor(flag, configured));
  if (current.startsWith("-")) return begun(openFlags(command, before));
  const positionals = Object.values(command.positionals);
  const [first] = positionals;
  if (first?.choices !== undefined) return begun(first.choices.map(String));
  const found = await Promise.all(positionals.map((positional) => configuredFor(positional, configured)));
  return begun([...new Set(found.flat())]);
}

/** Help texts write STACK and REPO where a configured name may stand. */
async function configuredFor(
  { describe }: Pick<Options, "describe">,
  configured: CompletionBasis["configured"],
): Promise<readonly string[]> {
  const what = /\b(STACK|REPO)(?![\w/])/.exec(describe ?? "")?.[1];
  return what === undefined ? [] : configured(what === "STACK" ? "stacks" : "repositories");
}

function names(commands: readonly Command[]): string[] {
  return commands.map(({ name }) => name);
}

/** Flags that are not on the line yet, or may be there again. */
function openFlags({ flags }: Command, before: readonly string[]): string[] {
  const open = Object.keys(flags).filter((name) => flags[name]?.array === true || !before.includes(`--${name}`));
  return [...open, "help"].map((name) => `--${name}`);
}

/** Answers a shell: one candidate a line. Whatever goes wrong, a shell that completes wants silence, not an error. */
export async function printCompletions(words: readonly string[], io: CliIo): Promise<void> {
  const candidates = await completeWords(words, {
    commands: await Promise.all(commandOutlines.map(({ name }) => loadCommand[name]())),
    configured: (what) => configuredNames(what, words, io),
  });
  for (const candidate of candidates) io.stdout.write(`${candidate}\n`);
}

async function configuredNames(
  what: "stacks" | "repositories",
  words: readonly string[],
  { cwd }: CliIo,
): Promise<string[]> {
  const named = words.indexOf("--config");
  const file = named < 0 ? undefined : words[named + 1];
  try {
    const config = await loadConfig({ file, cwd });
    return [...(config[what]?.keys() ?? [])];
  } catch {
    return [];
  }
}
