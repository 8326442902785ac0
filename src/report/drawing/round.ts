/** Positions may be fractions of a column; a tenth is finer than anyone sees. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
