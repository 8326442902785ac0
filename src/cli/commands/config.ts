import { defineCommand } from "../define-command.ts";

export const configCommand = defineCommand("config", {
  positionals: {
    action: {
      choices: ["check", "schema"] as const,
      demandOption: true,
      describe: "check: is every stack complete, are its secrets there? schema: what an editor needs to know",
    },
  },
  flags: {},
  examples: [
    ["config check", "resolves every stack of stackferry.yaml; asks none of them anything"],
    ["config schema > stackferry.schema.json", "name it in the file: # yaml-language-server: $schema=…"],
  ],
  exitCodes: [0, 1, 2],
  prepare: (args) => async (session) => {
    if (args.action === "schema") {
      const { runConfigSchema } = await import("../runs/run-config-schema.ts");
      return runConfigSchema();
    }
    const { runConfigCheck } = await import("../runs/run-config-check.ts");
    return runConfigCheck(session);
  },
});
