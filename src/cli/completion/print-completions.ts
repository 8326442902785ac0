import { loadConfig } from "../../config/load-config.ts";
import { commandOutlines } from "../command-outlines.ts";
import type { CliIo } from "../io.ts";
import { loadCommand } from "../load-command.ts";
import { completeWords } from "./complete-words.ts";

/** Answers a shell: one candidate a line. Whatever goes wrong, a shell that completes wants silence, not an error. */
export async function printCompletions(words: readonly string[], io: CliIo): Promise<void> {
  const candidates = await completeWords(words, {
    commands: await Promise.all(commandOutlines.map(({ name }) => loadCommand[name]())),
    configured: (what) => configuredNames(what, words, io),
  });
  for (const candidate of candidates) io.stdout.write(`${candidate}\n`);
}

async function configuredNames(what: "stacks" | "places", words: readonly string[], { cwd }: CliIo): Promise<string[]> {
  const named = words.indexOf("--config");
  const file = named < 0 ? undefined : words[named + 1];
  try {
    const config = await loadConfig({ file, cwd });
    return [...(config[what]?.keys() ?? [])];
  } catch {
    return [];
  }
}
