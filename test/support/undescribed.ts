const allowed = new Set<RegExp>();

/**
 * Lets this test's stacks show, in answers to GETs, what no description and no recording has: a form to come, or one that
 * an older server has left. Each pattern is of disagreements such as `/data/select: is array, not string`.
 */
export function showsUndescribed(...patterns: readonly RegExp[]): void {
  for (const pattern of patterns) allowed.add(pattern);
}

/** The patterns that the test has named. Empties them for the next test. */
export function takeUndescribed(): readonly RegExp[] {
  const patterns = [...allowed];
  allowed.clear();
  return patterns;
}
