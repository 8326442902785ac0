const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads a duration (`500ms`, `30s`, `5m`, `1h`, `7d`; whole or decimal, more than 0) as milliseconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text.trim());
  const unit = UNIT_MS[match?.[2] ?? ""];
  if (unit === undefined) return undefined;
  const ms = Math.round(Number(match?.[1]) * unit);
  return ms > 0 && Number.isSafeInteger(ms) ? ms : undefined;
}
