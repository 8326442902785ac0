import type { JsonObject, JsonValue } from "../../core/json.ts";
import { textOf } from "../record-schema.ts";

const UNIT_MINUTES: Readonly<Record<string, number>> = { s: 1 / 60, m: 1, h: 60, d: 1440 };

/** The offset that a write takes: none beside a start, else one within the interval, at the same times. Undefined where it fits. */
export function fittingOffset(offset: JsonValue, body: JsonObject) {
  if (typeof offset !== "number" || offset === 0) return undefined;
  if (textOf(body, "scheduleStartAt") !== "") return { change: "left out: it is not accepted beside a start" };
  const minutes = minutesOf(textOf(body, "interval"));
  if (minutes === undefined || offset < minutes) return undefined;
  return { value: offset % minutes, change: `${offset % minutes} instead of ${offset}` };
}

/**
 * The start that a write takes in the place of one that is too long past: of what is past only the phase counts, and whole
 * intervals keep it (docs/api.md#alerts). It is the same for years, so that a later run finds nothing to change.
 */
export function fittingStart(start: JsonValue, body: JsonObject, now: number) {
  if (typeof start !== "string") return undefined;
  const at = Date.parse(start);
  const minutes = minutesOf(textOf(body, "interval"));
  if (minutes === undefined || !(at < yearsFrom(now, -MAX_YEARS_BACK))) return undefined;
  const step = minutes * 60_000;
  const year = new Date(now).getUTCFullYear();
  const earliest = Date.UTC(year - (year % MOVED_YEARS) - MOVED_YEARS, 0, 1);
  const moved = new Date(at + Math.ceil((earliest - at) / step) * step).toISOString();
  return { value: moved, change: `${moved}, whole intervals later, instead of ${start}` };
}

/** A start that is too far ahead: an earlier one would be another schedule. Undefined where it fits. */
export function startAhead(start: JsonValue, _body: JsonObject, now: number) {
  const at = typeof start === "string" ? Date.parse(start) : Number.NaN;
  return at > yearsFrom(now, MAX_YEARS_AHEAD) ? { change: "a start within a year from now" } : undefined;
}

const MAX_YEARS_BACK = 10;
const MAX_YEARS_AHEAD = 1;

/** A start is moved to the beginning of a span of so many years, which is at most twice as long ago. */
const MOVED_YEARS = 5;

function yearsFrom(now: number, years: number): number {
  const date = new Date(now);
  return date.setUTCFullYear(date.getUTCFullYear() + years);
}

function minutesOf(interval: string): number | undefined {
  const [, count = "", unit = ""] = /^(\d+)([smhd])$/.exec(interval) ?? [];
  const minutes = Number(count) * (UNIT_MINUTES[unit] ?? 0);
  return minutes > 0 ? minutes : undefined;
}
