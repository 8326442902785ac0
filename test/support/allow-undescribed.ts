const allowed = new Set<RegExp>();

/**
 * Allows forms in the responses to GETs of this test that neither a description nor a recording has: a form of a coming release,
 * or of an older server. The patterns match disagreements such as `/data/select: is array, not string`.
 */
export function allowUndescribed(...patterns: readonly RegExp[]): void {
  for (const pattern of patterns) allowed.add(pattern);
}

/** Returns the patterns of the test, and clears them for the next test. */
export function takeAllowedPatterns(): readonly RegExp[] {
  const patterns = [...allowed];
  allowed.clear();
  return patterns;
}
