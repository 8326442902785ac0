import { defineCommand } from "../program/command.ts";

/** The first word of a line that the completion scripts send. */
export const COMPLETE_WORD = "--complete";

/** The completion script of each shell, which calls the program, so that the candidates match the installed version. @public A release packs them. */
export const completionScripts = {
  bash: `# stackferry completion for bash
_stackferry() {
  local IFS=$'\\n'
  COMPREPLY=()
  local answers
  answers=$(stackferry ${COMPLETE_WORD} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) || return 0
  local answer
  for answer in $answers; do COMPREPLY+=("\${answer%%$'\\t'*}"); done
}
complete -o default -F _stackferry stackferry
`,
  zsh: `#compdef stackferry
# stackferry completion for zsh
_stackferry() {
  local -a answers
  answers=("\${(@f)$(stackferry ${COMPLETE_WORD} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -z "\${answers[1]}" ]]; then _files; return; fi
  local -a candidates=("\${(@)answers%%$'\\t'*}") lines=("\${(@)answers/$'\\t'/  }")
  compadd -l -d lines -a candidates
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
  powershell: `# stackferry completion for PowerShell
Register-ArgumentCompleter -Native -CommandName stackferry -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | Select-Object -Skip 1 | ForEach-Object { "$_" })
  # Windows PowerShell drops an empty argument, so the word that begins is sent in quotation marks there.
  $current = if ($wordToComplete -eq '' -and $PSVersionTable.PSVersion.Major -lt 7) { '""' } else { $wordToComplete }
  stackferry ${COMPLETE_WORD} @words $current 2>$null | ForEach-Object {
    $candidate, $says = $_ -split "\`t", 2
    if (-not $says) { $says = $candidate }
    [System.Management.Automation.CompletionResult]::new($candidate, $candidate, 'ParameterValue', $says)
  }
}
`,
} as const;

export const completionCommand = defineCommand({
  name: "completion",
  group: "Start",
  describe: "Print the completion script of a shell",
  positionals: {
    shell: { choices: ["bash", "zsh", "fish", "powershell"], demandOption: true, describe: "The shell" },
  },
  flags: {},
  examples: [
    ["completion bash >> ~/.bashrc", "commands, options, their values and configured stacks"],
    ["completion zsh > ~/.zfunc/_stackferry", "the same for zsh, in a folder of fpath"],
    ["completion fish > ~/.config/fish/completions/stackferry.fish", "the same for fish"],
    ["completion powershell >> $PROFILE", "the same for PowerShell"],
  ],
  exitCodes: [0, 2],
  handler:
    ({ shell }) =>
    async () => {
      const script = completionScripts[shell];
      return { exitCode: 0, text: () => script, isPayload: true, details: { shell, script } };
    },
});
