import type { SeededRandom } from "../support/seeded-random.ts";

export const LOWER = "abcdefghijklmnopqrstuvwxyz";
export const DIGITS = "0123456789";
export const HEX = "0123456789abcdef";
export const ALNUM = `${LOWER}${LOWER.toUpperCase()}${DIGITS}`;
export const BASE64 = `${ALNUM}+/`;
export const URLSAFE = `${ALNUM}-_`;

/** Returns a UUID of version 4. */
export function uuid(random: SeededRandom): string {
  const hex = random.text(HEX, 32);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}
