import { defineCommand } from "../define-command.ts";

export const doctorCommand = defineCommand("doctor", {
  positionals: {
    stack: { type: "string", array: true, demandOption: true, describe: "STACK: a configured name or an address" },
  },
  flags: {},
  examples: [
    ["doctor production staging", "both stacks of the configuration file"],
    ["doctor http://localhost:8000", "the key comes from STACKFERRY_API_KEY"],
  ],
  exitCodes: [0, 2, 3, 5, 6, 130],
  prepare: (args) => async (session) => {
    const { runDoctor } = await import("../runs/run-doctor.ts");
    return runDoctor(args.stack, session);
  },
});
