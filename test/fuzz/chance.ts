/** Numbers that look random and are the same for the same seed. */
export interface Chance {
  /** A whole number from 0 to below `below`. */
  below(below: number): number;
  /** True once in `times`. */
  once(times: number): boolean;
  /** One of them. */
  pick<T>(items: readonly T[]): T;
}

/** mulberry32: 32 bits of state, so that a run can be told by one number. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (most: number): number => Math.floor(next() * most);
  return {
    below,
    once: (times) => below(times) === 0,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error("nothing to pick from");
      return item;
    },
  };
}
