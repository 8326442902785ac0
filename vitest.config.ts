import { defineConfig } from "vitest/config";

export default defineConfig({
  // Node 20 has no native `await using`; compile it down as the build does.
  oxc: { target: "es2023" },
  test: {
    include: ["test/{unit,contract,behaviour,e2e}/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: "forks",
    // Tests with real processes and time limits can be starved on a busy machine; one that fails twice is broken.
    retry: 1,
  },
});
