import type { JsonObject, JsonValue } from "../../core/json.ts";
import { textOf } from "../record-schema.ts";

const UNIT_MINUTES: Readonly<Record<string, number>> = { m: 1, h: 60, d: 1440 };

/** The offset that a write takes: none beside a start, else one within the interval, at the same times. Undefined where it fits. */
export function fittingOffset(offset: JsonValue, body: JsonObject) {
  if (typeof offset !== "number" || offset === 0) return undefined;
  if (textOf(body, "scheduleStartAt") !== "") return { change: "left out: it is not accepted beside a start" };
  const minutes = minutesOf(textOf(body, "interval"));
  if (minutes === undefined || offset < minutes) return undefined;
  return { value: offset % minutes, change: `${offset % minutes} instead of ${offset}` };
}

function minutesOf(interval: string): number | undefined {
  const [, count = "", unit = ""] = /^(\d+)([mhd])$/.exec(interval) ?? [];
  const minutes = Number(count) * (UNIT_MINUTES[unit] ?? 0);
  return minutes > 0 ? minutes : undefined;
}
