import { stacksArgument } from "./arguments.ts";
import type { CommandOutline } from "./outline.ts";

/** The commands for setting up and trying out. */
export const otherCommands = {
  doctor: {
    describe: "Test whether stacks and repositories can be reached and accept the key",
    positionals: {
      name: {
        ...stacksArgument,
        completes: ["stacks", "repositories"],
        describe:
          "STACK or REPO to test, by name or address (default: all); a configured STACK also tests every repository",
      },
    },
    flags: {
      data: {
        type: "boolean",
        describe: "Also ask each source of a self-hosted stack for data of the last 24 hours; exit 3 if one has none",
      },
    },
    examples: [
      ["doctor", "every stack and repository that is configured"],
      ["doctor production", "a stack, and every repository that is configured"],
      ["doctor production offsite", "a stack and one repository"],
      ["doctor production --data", "a line for each source: whether it has data"],
      ["doctor http://localhost:8000", "the key: STACKFERRY_API_KEY, or that of the configured stack"],
    ],
    exitCodes: [0, 1, 2, 3, 5, 6, 130],
  },
  config: {
    describe: "Check the configuration file, or print its JSON Schema",
    positionals: {
      action: {
        choices: ["check", "schema"],
        demandOption: true,
        describe:
          "check: test whether every stack is complete and its secrets are there; schema: print the schema for an editor",
      },
    },
    flags: {},
    examples: [
      ["config check", "resolves every stack of stackferry.yaml; sends no request"],
      ["config schema > stackferry.schema.json", "name it in the file: # yaml-language-server: $schema=…"],
    ],
    exitCodes: [0, 1, 2],
  },
  sandbox: {
    describe: "Run a stack on this machine, to try things out",
    positionals: {},
    flags: {
      variant: {
        choices: ["managed", "self-hosted"],
        demandOption: true,
        describe: "Which variant of the API",
      },
      api: {
        choices: ["extended", "contract"],
        default: "extended",
        describe: "extended: with connections, saved searches and writes of all kinds; contract: an older deployment",
      },
      ids: {
        choices: ["hex", "uuid"],
        describe: "Form of ids of a managed stack: 24 hex digits, or UUIDs (default: uuid)",
      },
      strict: {
        type: "boolean",
        describe: "Managed stack: refuse members that the API does not know, instead of dropping them",
      },
      port: { describe: "Port to listen on (default: any free one)" },
      seed: {
        default: "none",
        describe:
          "Records to begin with. none: nothing; bare: connections, sources and webhooks; sample: those, 9 dashboards, 2 saved searches and 14 alerts; web: a fresh installation with records as only the web interface makes them; or the path of an archive",
      },
      limit: { describe: "Answer 429 beyond this many requests, for instance 100/1m" },
    },
    examples: [
      ["sandbox --variant self-hosted --seed sample", "a stack with dashboards, saved searches and alerts"],
      [
        "sandbox --variant self-hosted --seed bare --api contract",
        "an older one, which lists sources and webhooks only",
      ],
      [
        "sandbox --variant managed --seed bare --json",
        "an empty one; prints its address and key as JSON on the first line",
      ],
    ],
    exitCodes: [0, 1, 2],
  },
  demo: {
    describe: "Run a migration, a backup and a restore on this machine alone, and show each command",
    positionals: {},
    flags: {},
    examples: [["demo", "each command as it could be typed, with what it prints"]],
    exitCodes: [0, 1, 130],
  },
  completion: {
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
  },
} as const satisfies Readonly<Record<string, CommandOutline>>;
