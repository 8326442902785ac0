import type { RateLimit } from "../core/ports.ts";

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds; undefined for 0 and for an invalid text. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text.trim());
  const unit = UNIT_MS[match?.[2] ?? ""];
  if (unit === undefined) return undefined;
  const ms = Math.round(Number(match?.[1]) * unit);
  return ms > 0 && Number.isSafeInteger(ms) ? ms : undefined;
}

export function parseRate(text: string): RateLimit | undefined {
  const match = /^(\d+)\/(.+)$/.exec(text.trim());
  const requests = Number(match?.[1]);
  const per = match?.[2] ?? "";
  const perMs = parseDuration(/^\d/.test(per) ? per : `1${per}`);
  if (perMs === undefined || !Number.isSafeInteger(requests) || requests < 1) return undefined;
  return { requests, perMs };
}

/** In Unix milliseconds. Both ends belong to the period. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

/** All times are in UTC. `-7d` is seven days before `now`. */
export function parsePeriod(text: string, now: number): Period | undefined {
  const ago = text.startsWith("-") ? parseDuration(text.slice(1)) : undefined;
  return ago === undefined ? parseDate(text) : { start: now - ago, end: now - ago };
}

function parseDate(text: string): Period | undefined {
  const match = /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d)(?::?(\d\d)(?::?(\d\d))?)?Z?)?$/.exec(text.trim());
  if (match === null) return undefined;
  const [year = "", month = "", day = "", ...time] = match.slice(1);
  const momentOf = ([hour = "", minute = "", second = ""]: readonly string[], rest: string): number | undefined => {
    const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.${rest}Z`;
    const at = Date.parse(iso);
    return Number.isNaN(at) || new Date(at).toISOString() !== iso ? undefined : at;
  };
  const start = momentOf(
    time.map((part) => part ?? "00"),
    "000",
  );
  const end = momentOf(
    time.map((part, index) => part ?? (index === 0 ? "23" : "59")),
    "999",
  );
  return start === undefined || end === undefined ? undefined : { start, end };
}
