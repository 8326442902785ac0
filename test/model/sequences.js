// Compares the model with the engine in many sequences: `npm run model`. `-- --sequences N` sets how many, `--seed N` the first one.
import { parseArgs } from "node:util";
import { startVitest } from "vitest/node";

const { values } = parseArgs({
  options: { seed: { type: "string", default: "1" }, sequences: { type: "string", default: "2000" } },
});
if (!Object.values(values).every((text) => /^\d+$/.test(text))) throw new Error("--seed and --sequences are numbers");
Object.assign(process.env, {
  STACKFERRY_MODEL_SEED: values.seed,
  STACKFERRY_MODEL_SEQUENCES: values.sequences,
});
const vitest = await startVitest("test", ["test/model/against-engine.test.ts"], {
  watch: false,
  project: ["quick"],
  disableConsoleIntercept: true,
});
await vitest.close();
