import { defineCommand } from "../program/define-command.ts";

export const demoCommand = defineCommand("demo", {
  positionals: {},
  flags: {},
  examples: [["demo", "there and back, and a lost stack rebuilt, on this machine alone"]],
  exitCodes: [0, 1, 130],
  prepare: () => async (session) => {
    const { runDemo } = await import("../demo/run-demo.ts");
    return runDemo(session);
  },
});
