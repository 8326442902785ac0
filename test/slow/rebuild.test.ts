import { beforeAll, expect, it } from "vitest";
import { loseStack, rebuildRun, type LostStack } from "../chaos/rebuild-run.ts";

const { REBUILD_FIRST = "1", REBUILD_RUNS = "24" } = process.env;
const SEEDS = Array.from({ length: Number(REBUILD_RUNS) }, (_, index) => Number(REBUILD_FIRST) + index);

let lost: LostStack;

beforeAll(async () => {
  lost = await loseStack();
}, 60_000);

it.concurrent.each(SEEDS)(
  "rebuild %i through faults and kills ends with exactly one of everything, and once more writes nothing",
  async (seed) => {
    const { problems, ends } = await rebuildRun(seed, lost);
    expect({ problems, ends: ends.slice(0, -1) }).toEqual({ problems: [], ends: expect.anything() });
  },
);
