import type { Command } from "./command.ts";
import { commands } from "./commands.ts";
import type { CompletionCandidates, Flag, Flags } from "./flag.ts";
import { globalFlags } from "./global-flags.ts";
import type { CliIo } from "./io.ts";

/** Prints the completions of the last word, one per line; a command or a flag is followed by a tab and its description. */
export async function printCompletions(words: readonly string[], io: CliIo): Promise<void> {
  const current = words.at(-1) ?? "";
  const command = commands.find(({ name }) => words.slice(0, -1).includes(name));
  const candidates = command === undefined ? firstWords(current) : await wordsOf(command, words, io);
  for (const candidate of candidates) if (candidate.startsWith(current)) io.stdout.write(`${candidate}\n`);
}

function firstWords(current: string): readonly string[] {
  if (current.startsWith("-")) return ["--help\tShow help", "--version\tShow version number"];
  return commands.map(({ name, describe }) => `${name}\t${describe}`);
}

/** Returns the candidates for the last word; empty if the word is free text or a file name. */
async function wordsOf(
  { positionals, flags: own }: Command,
  words: readonly string[],
  io: CliIo,
): Promise<readonly string[]> {
  const [before, current] = [words.slice(0, -1), words.at(-1) ?? ""];
  const namesOf = (candidates: CompletionCandidates): Promise<string[]> =>
    candidates === "kinds" ? kindLists(current) : configuredNames(candidates, words, io);
  const flags: Flags = { ...own, ...globalFlags };
  const valuesOf = async ({ choices, completes = [] }: Pick<Flag, "choices" | "completes">): Promise<string[]> =>
    choices?.slice() ?? (await Promise.all([completes].flat().map(namesOf))).flat();
  const previous = before.at(-1) ?? "";
  const flag = previous.startsWith("--") ? flags[previous.slice(2)] : undefined;
  if (flag !== undefined && flag.type !== "boolean") return valuesOf(flag);
  if (current.startsWith("-")) return openFlags(flags, before);
  const values = await Promise.all(Object.values(positionals).map(valuesOf));
  return [...new Set(values.flat())];
}

/** Returns the flags that are not on the line yet, or that may be repeated. */
function openFlags(flags: Flags, before: readonly string[]): string[] {
  const names = Object.keys(flags).filter((name) => flags[name]?.array === true || !before.includes(`--${name}`));
  return [...names.map((name) => `--${name}\t${flags[name]?.describe ?? ""}`), "--help\tShow help"];
}

/** Returns a candidate for each kind that is not in the list yet: the list typed so far, with this kind appended. */
async function kindLists(current: string): Promise<string[]> {
  const { kinds } = await import("../../kinds/registry.ts");
  const listed = current.split(",").slice(0, -1);
  const candidates = kinds.filter(({ name }) => !listed.includes(name));
  return candidates.map(({ name }) => [...listed, name].join(","));
}

/** Returns names from the configuration file, and backups on this machine. A completion prints no errors. */
async function configuredNames(
  candidates: Exclude<CompletionCandidates, "kinds">,
  words: readonly string[],
  { cwd, env }: CliIo,
): Promise<string[]> {
  const flagIndex = words.indexOf("--config");
  const file = flagIndex < 0 ? undefined : words[flagIndex + 1];
  try {
    const { loadConfig } = await import("../../config/load-config.ts");
    const config = await loadConfig({ file, cwd });
    const names = { stacks: [...config.stacks.keys()], repositories: [...config.repositories.keys()] };
    if (candidates !== "backups") return names[candidates];
    const typed = words.at(-1) ?? "";
    const repositories = typed.includes("/") ? [typed.slice(0, typed.lastIndexOf("/"))] : names.repositories;
    const { listStoredStacks } = await import("../wiring/named-input.ts");
    const stored = await Promise.all(repositories.map((name) => listStoredStacks(name, { config, env, cwd })));
    const configured = names.repositories.flatMap((name) => names.stacks.map((stack) => `${name}/${stack}`));
    return [...configured, ...stored.flat()];
  } catch {
    return [];
  }
}
