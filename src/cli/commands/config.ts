import { defineCommand } from "../program/parse/define-command.ts";

export const configCommand = defineCommand("config", {
  positionals: {
    action: {
      choices: ["check", "schema"] as const,
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
  prepare: (args) => async (session) => {
    const { runConfigCheck, runConfigSchema } = await import("../runs/config.ts");
    return args.action === "schema" ? runConfigSchema() : runConfigCheck(session);
  },
});
