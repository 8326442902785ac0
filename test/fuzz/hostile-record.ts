import { hostileShapes } from "../support/hostile-shapes.ts";
import type { SeededRandom } from "../support/seeded-random.ts";
import { mutateText } from "./mutate.ts";

const SHAPES = Object.values(hostileShapes);

/**
 * Returns the JSON of the record `one` with costly values. Most are small; one in a hundred is so large that it is near the
 * limits or above them.
 */
export function hostileRecord(random: SeededRandom): string {
  const large = random.chance(1 / 100);
  const values = Array.from({ length: random.between(1, large ? 1 : 3) }, (_, index) => {
    const bytes = large ? random.between(100_000, 1_000_000) : random.between(2, 4000);
    const value = random.pick(SHAPES)(bytes);
    const within = random.chance(1 / 4) ? `[${value},${random.pick(SHAPES)(random.between(2, 500))}]` : value;
    return `"x${index}":${within}`;
  });
  const record = `{"id":"one","name":"name of one","tiles":[],${values.join(",")}}`;
  return random.chance(1 / 4) ? mutateText(record, random) : record;
}
