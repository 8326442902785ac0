import { defineConfig } from "vitest/config";

// The heap is kept small, so that a leak or a bomb ends the run instead of hiding in the machine's memory.
// oxlint-disable-next-line import/no-default-export
export default defineConfig({
  oxc: { target: "es2023" },
  test: {
    include: ["test/fuzz/*.fuzz.ts"],
    pool: "forks",
    execArgv: ["--max-old-space-size=160"],
    disableConsoleIntercept: true,
  },
});
