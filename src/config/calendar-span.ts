import type { Span } from "../domain/retention.ts";

/**
 * Reads a stretch of the calendar as restic writes it: `1y5m7d2h`, where `m` is months. Undefined for anything else, and for
 * one of no length.
 */
export function parseCalendarSpan(text: string): Span | undefined {
  const match = /^(?=\d)(?:(\d{1,4})y)?(?:(\d{1,4})m)?(?:(\d{1,6})d)?(?:(\d{1,6})h)?$/.exec(text.trim());
  if (match === null) return undefined;
  const [years = 0, months = 0, days = 0, hours = 0] = match.slice(1).map((digits?: string) => Number(digits ?? 0));
  return years + months + days + hours > 0 ? { years, months, days, hours } : undefined;
}
