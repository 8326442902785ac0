import { expect, it } from "vitest";
import { chaosPlan } from "../chaos/chaos-plan.ts";
import { chaosRun } from "../chaos/chaos-run.ts";

/** test/chaos/chaos.js sets these variables; it is what `npm run chaos` runs. */
const { CHAOS_FIRST = "1", CHAOS_RUNS = "60", CHAOS_PRINT } = process.env;
const SEEDS = Array.from({ length: Number(CHAOS_RUNS) }, (_, index) => Number(CHAOS_FIRST) + index);

it.concurrent.each(SEEDS)(
  "every process of migration %i through faults and kills says what it did, and exactly one of everything is there in the end",
  async (seed) => {
    const plan = chaosPlan(seed);
    const since = Date.now();
    const { problems, ends, faults } = await chaosRun(plan);
    if (CHAOS_PRINT !== undefined) {
      const { direction, command, kills, refusedLinks, twins } = plan;
      const drawn = { direction, command, kills: kills.length, refusedLinks, twins };
      const line = { seed, ok: problems.length === 0, ...drawn, ends, faults, problems, ms: Date.now() - since };
      process.stdout.write(`${JSON.stringify(line)}\n`);
    }
    expect(problems).toEqual([]);
  },
);
