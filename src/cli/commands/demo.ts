import { runDemo } from "../demo/run-demo.ts";
import { defineCommand } from "../program/parse/define-command.ts";

export const demoCommand = defineCommand("demo", {
  prepare: (args) => args,
  run: async (_args, session) => runDemo(session),
});
