const grouped = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 15 });

/** A number for people: `1,234.5`. One formatter for all, as making one takes longer than a page has time. */
export function numberText(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1000 ? String(value) : grouped.format(value);
}
