import { stackArguments } from "../flags/arguments.ts";
import { defineCommand } from "../program/parse/define-command.ts";

export const doctorCommand = defineCommand("doctor", {
  positionals: {
    name: {
      ...stackArguments,
      completes: ["stacks", "repositories"],
      describe:
        "STACK or REPO to test, by name or address (default: all); a configured STACK also tests every repository",
    },
  },
  flags: {},
  examples: [
    ["doctor", "every stack and repository that is configured"],
    ["doctor production", "a stack, and every repository that is configured"],
    ["doctor production offsite", "a stack and one repository"],
    ["doctor http://localhost:8000", "the key: STACKFERRY_API_KEY, or that of the configured stack"],
  ],
  exitCodes: [0, 1, 2, 3, 5, 6, 130],
  prepare: (args) => async (session) => (await import("../runs/doctor.ts")).runDoctor(args.name ?? [], session),
});
