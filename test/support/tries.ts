/** How many times as often as stated a property is tried: `npm run properties` asks for a hundred. */
const TIMES = Number(process.env["STACKFERRY_PROPERTY_TIMES"] ?? 1);

/** Whether a test that usually draws a part of its cases takes them all, as in `npm run properties`. */
export const takesAllCases = TIMES > 1;

/** How a property is tried: in `npm test` always with the same values, so that a failure is of the commit and not of the day. */
export function propertyRuns(runs = 100): { numRuns: number; seed?: number } {
  return TIMES === 1 ? { numRuns: runs, seed: 20_261_122 } : { numRuns: runs * TIMES };
}
