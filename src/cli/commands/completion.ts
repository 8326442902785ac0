import { COMPLETE_WORD } from "../program/flags.ts";
import { defineCommand } from "../program/define-command.ts";

/**
 * A script asks the installed program for the candidates, so they match its version.
 * @public A release contains the scripts.
 */
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
