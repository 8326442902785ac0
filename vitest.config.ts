import { defineConfig } from "vitest/config";

const shared = { testTimeout: 30_000, hookTimeout: 30_000, pool: "forks" } as const;

export default defineConfig({
  // Node 20 has no native `await using`; compile it down as the build does.
  oxc: { target: "es2023" },
  test: {
    maxWorkers: 2,
    projects: [
      { extends: true, test: { ...shared, name: "unit", include: ["test/{unit,contract,behaviour}/**/*.test.ts"] } },
      { extends: true, test: { ...shared, name: "e2e", include: ["test/e2e/**/*.test.ts"] } },
      {
        extends: true,
        // Real processes under real time limits can be starved on a busy machine; one that fails twice is broken.
        test: { ...shared, name: "slow", include: ["test/slow/**/*.test.ts"], testTimeout: 600_000, retry: 1 },
      },
    ],
  },
});
