import { expect, it } from "vitest";
import { drawKills, mirroredStack, rollBackKilled } from "../support/killed-rollback.ts";
import { seededRandom } from "../support/seeded-random.ts";

const SEEDS = 50;
/** Side by side: a run waits for lists most of its time. */
const LANES = ["self-hosted", "managed", "self-hosted", "managed"] as const;

it("a rollback of a mirror that was killed anywhere brings everything back once, though lists lag", async () => {
  const seeds = Array.from({ length: SEEDS }, (_, index) => index + 1);
  const lane = async (variant: (typeof LANES)[number]): Promise<void> => {
    const stack = await mirroredStack(variant);
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const kills = drawKills(seededRandom(Math.imul(seed, 0x9e3779b1)), stack);
      const { ends, there, further } = await rollBackKilled(stack, kills, seed);
      const what = `seed ${seed} on ${variant}: ${JSON.stringify(kills)}`;
      expect({ last: ends.at(-1), there, further }, what).toEqual({ last: 0, there: stack.whole, further: {} });
    }
  };
  await Promise.all(LANES.map(lane));
});
