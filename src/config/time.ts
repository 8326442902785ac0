const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Parses a duration (`500ms`, `30s`, `5m`, `1h`, `7d`; whole or decimal, more than 0) to milliseconds; undefined for anything else.
 */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text.trim());
  const unit = UNIT_MS[match?.[2] ?? ""];
  if (unit === undefined) return undefined;
  const ms = Math.round(Number(match?.[1]) * unit);
  return ms > 0 && Number.isSafeInteger(ms) ? ms : undefined;
}

/**
 * Parses the time of a backup, in UTC: `20261121T045241Z`, or the beginning of `2026-11-21T04:52:41Z`. Returns the last millisecond
 * that the text covers, so that a day means its end; undefined for anything else.
 */
export function parseBackupTime(text: string): number | undefined {
  const plain = text.trim().replaceAll(/[-:]/g, "").replace(" ", "T");
  const match = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(?:(\d\d)(?:(\d\d))?)?Z?)?$/.exec(plain);
  if (match === null) return undefined;
  const [year = "", month = "", day = "", hour = "23", minute = "59", second = "59"] = match.slice(1);
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.999Z`;
  const at = Date.parse(iso);
  return Number.isNaN(at) || new Date(at).toISOString() !== iso ? undefined : at;
}
