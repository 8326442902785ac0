/** The factor by which properties are tried more often: `npm run properties` sets it to 100. */
const TIMES = Number(process.env["STACKFERRY_PROPERTY_TIMES"] ?? 1);

/** Tells whether a test that usually draws a sample of its cases runs all of them, as in `npm run properties`. */
export const takesAllCases = TIMES > 1;

/**
 * Returns the runs of a property, and its seed. `npm test` makes a third of the runs, always with the same values: a failure is
 * due to the commit.
 */
export function propertyRuns(runs = 100): { numRuns: number; seed?: number } {
  return TIMES === 1 ? { numRuns: Math.ceil(runs / 3), seed: 20_261_122 } : { numRuns: runs * TIMES };
}
