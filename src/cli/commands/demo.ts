import { defineCommand } from "../program/define-command.ts";

export const demoCommand = defineCommand("demo", {
  positionals: {},
  flags: {},
  examples: [["demo", "to managed and back, and a stack lost and rebuilt, checked; nothing leaves this machine"]],
  exitCodes: [0, 1, 130],
  prepare: () => async (session) => {
    const { runDemo } = await import("../demo/run-demo.ts");
    return runDemo(session);
  },
});
