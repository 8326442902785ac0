/** Chance that comes out the same for the same seed. */
export interface SeededRandom {
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  chance(probability: number): boolean;
}

/** The generator known as mulberry32: small, and even enough to draw plans with. */
export function seededRandom(seed: number): SeededRandom {
  let state = Math.imul(seed, 0x9e3779b1) | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: (probability) => next() < probability,
  };
}
