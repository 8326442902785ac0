import { commandOfLine, commands, COMPLETE_WORD, defineCommand, type Command } from "../program/commands.ts";
import { globalFlags, type Flags } from "../program/flags.ts";
import type { CliIo } from "../program/io.ts";

/** The completion script of each shell, which calls the program, so that the candidates match the installed version. @public A release packs them. */
export const completionScripts = {
  bash: `# stackferry completion for bash
_stackferry() {
  local IFS=$'\\n'
  COMPREPLY=($(stackferry ${COMPLETE_WORD} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _stackferry stackferry
`,
  zsh: `#compdef stackferry
# stackferry completion for zsh
_stackferry() {
  local -a candidates
  candidates=("\${(@f)$(stackferry ${COMPLETE_WORD} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -z "\${candidates[1]}" ]]; then _files; else compadd -a candidates; fi
}
# Either this file is in fpath and called by its name, or it is sourced.
if [[ "\${funcstack[1]}" == _stackferry ]]; then _stackferry "$@"; else compdef _stackferry stackferry; fi
`,
  fish: `# stackferry completion for fish
function __stackferry_complete
  set -l words (commandline -opc) (commandline -ct)
  stackferry ${COMPLETE_WORD} $words[2..-1] 2>/dev/null
end
complete -c stackferry -a "(__stackferry_complete)"
`,
} as const;

export const command = defineCommand({
  positionals: {
    shell: { choices: ["bash", "zsh", "fish"], demandOption: true, describe: "The shell" },
  },
  flags: {},
  examples: [
    ["completion bash >> ~/.bashrc", "commands, options and their values"],
    ["completion zsh > ~/.zfunc/_stackferry", "the same for zsh, in a folder of fpath"],
    ["completion fish > ~/.config/fish/completions/stackferry.fish", "the same for fish"],
  ],
  exitCodes: [0, 2],
  run: async ({ shell }) => {
    const script = completionScripts[shell];
    return { exitCode: 0, text: () => script, isPayload: true, details: { shell, script } };
  },
});

/** Prints the words that can complete the last word, one per line; none if the word is a name, free text or a file. */
export async function printCompletions(words: readonly string[], io: CliIo): Promise<void> {
  const [before, current] = [words.slice(0, -1), words.at(-1) ?? ""];
  const command = await commandOfLine(before)?.load();
  const candidates =
    command === undefined
      ? [...commands.map(({ name }) => name), "--help", "--version"]
      : candidatesOf(command, before.at(-1) ?? "", current);
  // Flags are offered only once a word has begun: otherwise they would hide commands, or files that the shell completes.
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
