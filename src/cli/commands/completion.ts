import { defineCommand } from "../program/parse/define-command.ts";
import { COMPLETE } from "../program/parse/outlines.ts";

/** The script of each shell. All of them call the program, so that the candidates match the installed version. */
const completionScripts = {
  bash: `# stackferry completion for bash
_stackferry() {
  local IFS=$'\\n'
  COMPREPLY=()
  local answers
  answers=$(stackferry ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) || return 0
  COMPREPLY=($answers)
}
complete -o default -F _stackferry stackferry
`,
  zsh: `#compdef stackferry
# stackferry completion for zsh
_stackferry() {
  local -a answers
  answers=("\${(@f)$(stackferry ${COMPLETE} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${answers[1]}" ]]; then compadd -a answers; else _files; fi
}
compdef _stackferry stackferry
`,
  fish: `# stackferry completion for fish
function __stackferry_complete
  set -l words (commandline -opc) (commandline -ct)
  stackferry ${COMPLETE} $words[2..-1] 2>/dev/null
end
complete -c stackferry -a "(__stackferry_complete)"
`,
} as const;

export const completionCommand = defineCommand("completion", {
  positionals: {
    shell: { choices: ["bash", "zsh", "fish"] as const, demandOption: true, describe: "The shell" },
  },
  flags: {},
  examples: [
    ["completion bash >> ~/.bashrc", "commands, options, their values and configured stacks"],
    ["completion fish > ~/.config/fish/completions/stackferry.fish", "the same for fish"],
  ],
  exitCodes: [0, 2],
  prepare: (args) => async () => {
    const script = completionScripts[args.shell];
    return { exitCode: 0, text: () => script, isPayload: true, details: { shell: args.shell, script } };
  },
});
