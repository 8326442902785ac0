/** Chance that is the same every time. */
export interface Seeded {
  number(below: number): number;
  pick<T>(items: readonly T[]): T;
  /** So many characters out of an alphabet. */
  text(alphabet: string, length: number): string;
}

export const LOWER = "abcdefghijklmnopqrstuvwxyz";
export const DIGITS = "0123456789";
export const HEX = "0123456789abcdef";
export const ALNUM = `${LOWER}${LOWER.toUpperCase()}${DIGITS}`;
export const BASE64 = `${ALNUM}+/`;
export const URLSAFE = `${ALNUM}-_`;

/** mulberry32: small, and good enough to make tokens that look like some. */
export function seeded(seed: number): Seeded {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const number = (below: number): number => Math.floor(next() * below);
  return {
    number,
    pick: (items) => items[number(items.length)] as (typeof items)[number],
    text: (alphabet, length) => {
      let made = "";
      for (let count = 0; count < length; count += 1) made += alphabet.charAt(number(alphabet.length));
      return made;
    },
  };
}

/** A UUID, version 4. */
export function uuid(random: Seeded): string {
  const hex = random.text(HEX, 32);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}
