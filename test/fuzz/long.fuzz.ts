import { expect, it } from "vitest";
import { fuzzAnswers } from "./fuzz-answers.ts";
import { fuzzArchives } from "./fuzz-archives.ts";
import type { FuzzRun, Tally } from "./fuzz-run.ts";

const MOST_MEGABYTES = 256;
/** In parts, so that what has been tried so far is told before a part fails. */
const PART = 5000;
const ARCHIVE_RUNS = 60_000;
const ANSWER_RUNS = 60_000;
/** Another one every day: what is found is told with its seed, and can be repeated. */
const seed = Math.floor(Date.now() / 86_400_000) * 1_000_000;

async function inParts(name: string, runs: number, fuzz: (run: FuzzRun) => Promise<Tally> | Tally): Promise<void> {
  const total: Tally = new Map();
  for (let done = 0; done < runs; done += PART) {
    for (const [outcome, times] of await fuzz({ runs: PART, seed: seed + done })) {
      total.set(outcome, (total.get(outcome) ?? 0) + times);
    }
  }
  const megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
  const seen = [...total].map(([outcome, times]) => `${outcome} ${times}`).join(", ");
  process.stdout.write(`${name}: ${runs} runs from seed ${seed}, at most ${megabytes} MB: ${seen}\n`);
  expect(megabytes).toBeLessThan(MOST_MEGABYTES);
}

it("archives", () => inParts("archives", ARCHIVE_RUNS, fuzzArchives), 1_800_000);
it("answers", () => inParts("answers", ANSWER_RUNS, fuzzAnswers), 1_800_000);
