import { configDefaults, defineConfig } from "vitest/config";

/** The tests that judge a mutant: those that run in this process, from the sources, in about a second. */
export default defineConfig({
  oxc: { target: "es2023" },
  test: {
    include: [
      "test/{unit,contract,behaviour}/**/*.test.ts",
      "test/e2e/{backup,encrypted-archives,hostile-archive,main-job,migrate,redaction,resume-rollback}.test.ts",
      "test/e2e/{round-trip,update-keeps-alerts}.test.ts",
    ],
    exclude: [
      ...configDefaults.exclude,
      // These need the built program, its threads or processes of its own.
      "test/unit/threads/**",
      "test/unit/cli/threads/**",
      "test/unit/cli/{lean-heap,tidy-reads}.test.ts",
      // These look at the sources themselves, which are not the same when mutants are in them.
      "test/unit/architecture.test.ts",
      // These measure memory or time, or try thousands of values.
      "test/unit/jobs/plan-memory.test.ts",
      "test/unit/domain/redaction/{signs-lose-nothing,redaction-speed,corpus}.test.ts",
      "test/unit/fuzz.test.ts",
      "test/unit/{sandbox,stack,report,notify}/**",
    ],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    retry: 0,
  },
});
