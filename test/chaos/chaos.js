// Runs the whole chaos suite: `npm run chaos`. `-- --seed N` replays one run; `-- --runs N` sets the number of runs.
import { parseArgs } from "node:util";
import { startVitest } from "vitest/node";

const { values } = parseArgs({
  options: { seed: { type: "string" }, runs: { type: "string" }, "at-once": { type: "string", default: "4" } },
});
Object.assign(process.env, {
  CHAOS_PRINT: "1",
  CHAOS_FIRST: values.seed ?? "1",
  CHAOS_RUNS: values.runs ?? (values.seed === undefined ? "200" : "1"),
});
const vitest = await startVitest("test", ["test/slow/chaos.test.ts"], {
  watch: false,
  project: ["slow"],
  retry: 0,
  maxConcurrency: Number(values["at-once"]),
  disableConsoleIntercept: true,
});
await vitest.close();
