import { expect, it } from "vitest";
import { fuzzAnswers } from "../fuzz/fuzz-answers.ts";
import { fuzzArchives } from "../fuzz/fuzz-archives.ts";
import { slowest, type FuzzRun, type Tally } from "../fuzz/fuzz-run.ts";
import { peakMemory } from "../support/peak-memory.js";

/** `npm run fuzz` makes more runs, with another seed every day. A failure names its seed, so that it can be repeated. */
const asked = process.env["STACKFERRY_FUZZ_RUNS"];
const runsOfEach = Number(asked ?? 20_000) / 2;
const seed = asked === undefined ? 1_000_000 : Math.floor(Date.now() / 86_400_000) * 1_000_000;
const MAX_MEGABYTES = 256;
/** Number of runs in one call of a fuzzer. */
const PART = 5000;

async function inParts(name: string, fuzz: (run: FuzzRun) => Promise<Tally> | Tally): Promise<void> {
  const total: Tally = new Map();
  for (let done = 0; done < runsOfEach; done += PART) {
    for (const [outcome, times] of await fuzz({ runs: PART, seed: seed + done })) {
      total.set(outcome, (total.get(outcome) ?? 0) + times);
    }
  }
  const megabytes = Math.round(peakMemory() / 1024);
  const seen = [...total].map(([outcome, times]) => `${outcome} ${times}`).join(", ");
  process.stdout.write(
    `${name}: ${runsOfEach} runs from seed ${seed}, at most ${megabytes} MB, the slowest ${Math.round(slowest().ms)} ms (seed ${slowest().seed}): ${seen}\n`,
  );
  expect(megabytes).toBeLessThan(MAX_MEGABYTES);
}

it("archives that were changed at random are read, or refused in a documented way", () =>
  inParts("archives", fuzzArchives));
it("answers that were changed at random are decoded, or refused in a documented way", () =>
  inParts("answers", fuzzAnswers));
