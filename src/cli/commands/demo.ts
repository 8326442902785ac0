import { defineCommand } from "../program/parse/define-command.ts";

export const demoCommand = defineCommand("demo", {
  positionals: {},
  flags: {},
  examples: [["demo", "migrate there and back, then rebuild a lost stack"]],
  exitCodes: [0, 1, 130],
  prepare: () => async (session) => {
    const { runDemo } = await import("../demo/run-demo.ts");
    return runDemo(session);
  },
});
