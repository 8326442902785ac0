// The whole chaos suite: `npm run chaos`, or `npm run chaos -- --seed N` to replay one run, `--runs N` for fewer or more.
import { parseArgs } from "node:util";
import { startVitest } from "vitest/node";

const { values } = parseArgs({
  options: { seed: { type: "string" }, runs: { type: "string" }, "at-once": { type: "string" } },
});
Object.assign(process.env, {
  CHAOS_PRINT: "1",
  CHAOS_FIRST: values.seed ?? "1",
  CHAOS_RUNS: values.runs ?? (values.seed === undefined ? "200" : "1"),
  CHAOS_AT_ONCE: values["at-once"] ?? "4",
});
const vitest = await startVitest("test", ["test/e2e/chaos.test.ts"], { watch: false, disableConsoleIntercept: true });
await vitest.close();
