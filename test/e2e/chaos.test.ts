import pLimit from "p-limit";
import { expect, it } from "vitest";
import { chaosPlan } from "../chaos/chaos-plan.ts";
import { chaosRun } from "../chaos/chaos-run.ts";

/** `npm run chaos` (test/chaos/chaos.js) sets these; in `npm test` a few runs stand for all. */
const { CHAOS_FIRST = "1", CHAOS_RUNS = "6", CHAOS_AT_ONCE = "3", CHAOS_PRINT } = process.env;
const SEEDS = Array.from({ length: Number(CHAOS_RUNS) }, (_, index) => Number(CHAOS_FIRST) + index);
/** An hour for the whole, in case the machine has other things to do. */
const PATIENCE_MS = 3_600_000;

it(
  "every process of a migration through faults and kills says what it did, and exactly one of everything is there in the end",
  async () => {
    const limit = pLimit(Number(CHAOS_AT_ONCE));
    const failed = await Promise.all(
      SEEDS.map((seed) =>
        limit(async () => {
          const plan = chaosPlan(seed);
          const since = Date.now();
          const { problems, ends, faults } = await chaosRun(plan);
          const { direction, command, kills, refusedLinks, twins } = plan;
          const line = {
            seed,
            ok: problems.length === 0,
            direction,
            command,
            kills: kills.length,
            refusedLinks,
            twins,
            ends,
            faults,
            problems,
            ms: Date.now() - since,
          };
          if (CHAOS_PRINT !== undefined) process.stdout.write(`${JSON.stringify(line)}\n`);
          return problems.map((problem) => `seed ${seed}: ${problem}`);
        }),
      ),
    );
    expect(failed.flat()).toEqual([]);
  },
  PATIENCE_MS,
);
