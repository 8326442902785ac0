import { defineConfig } from "vitest/config";

// Tests that need Chromium (Debian's package); `npm test` does without them.
export default defineConfig({
  // Node 20 has no native `await using`; compile it down as the build does.
  oxc: { target: "es2023" },
  test: {
    include: ["test/browser/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: "forks",
    globalSetup: "test/support/run-temporary-folder.ts",
    setupFiles: ["test/support/isolated-home.ts"],
    fileParallelism: false,
  },
});
