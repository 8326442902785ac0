import { completionScripts } from "../completion/completion-scripts.ts";
import { defineCommand } from "../define-command.ts";

export const completionCommand = defineCommand("completion", {
  positionals: {
    shell: { choices: ["bash", "zsh", "fish"] as const, demandOption: true, describe: "The shell that reads it" },
  },
  flags: {},
  examples: [
    ["completion bash >> ~/.bashrc", "commands, options, their values and configured stacks"],
    ["completion fish > ~/.config/fish/completions/stackferry.fish", "the same for fish"],
  ],
  exitCodes: [0, 2],
  prepare: (args) => async () => {
    const script = completionScripts[args.shell];
    return { exitCode: 0, text: () => script, extra: { shell: args.shell, script } };
  },
});
