import { configDefaults, defineConfig } from "vitest/config";

const shared = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  pool: "forks" as const,
  globalSetup: ["test/support/run-temporary-folder.ts", "test/support/built-program.ts"],
  setupFiles: ["test/support/isolated-home.ts", "test/support/exchange-check.ts"],
};
const slow = { ...shared, testTimeout: 1_800_000, sequence: { groupOrder: 1 } } as const;
const FUZZ = "test/slow/fuzz.test.ts";

export default defineConfig({
  // Node 20 has no native `await using`; compile it down as the build does.
  oxc: { target: "es2023" },
  test: {
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          ...shared,
          name: "quick",
          include: ["test/{unit,contract,conformance,behaviour,e2e,model}/**/*.test.ts"],
          // Files of one process share the modules that are loaded: to load them for each file takes as long as the tests.
          isolate: false,
          // Most objects of a run live as long as the run, and most code runs a few times: memory that is there from the start, and
          // code that is compiled once, at its first call, and optimised only if it runs often, save a third of the processor's time.
          execArgv: [
            "--max-semi-space-size=64",
            "--min-semi-space-size=64",
            "--initial-old-space-size=1024",
            "--always-sparkplug",
            "--no-flush-bytecode",
            // Later versions have no such flag.
            ...(process.version.startsWith("v20.") ? ["--interrupt-budget=1000000"] : []),
          ],
        },
      },
      {
        extends: true,
        test: {
          ...slow,
          name: "slow",
          include: ["test/slow/**/*.test.ts"],
          exclude: [...configDefaults.exclude, FUZZ],
          // Real processes under real time limits can be starved on a busy machine; one that fails twice is broken.
          retry: 1,
        },
      },
      {
        extends: true,
        test: {
          ...slow,
          name: "fuzz",
          include: [FUZZ],
          // The heap is kept small, so that a leak or a bomb ends the run instead of hiding in the machine's memory.
          execArgv: ["--max-old-space-size=160"],
          disableConsoleIntercept: true,
        },
      },
    ],
  },
});
