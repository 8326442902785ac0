import { ownMember, type JsonObject } from "../../core/json.ts";
import type { StackRecord } from "../../core/records/record.ts";
import { numberAt, numberText, textAt } from "./query.ts";

export interface AlertModel {
  readonly id: string;
  readonly name: string;
  readonly dashboardId: string;
  readonly tileId: string;
  readonly savedSearchId: string;
  /** Such as `is above 100 over 5m, 3 windows in a row`. The tile tells which value is measured. */
  readonly condition: string;
}

export function readAlert({ id, name, body }: StackRecord): AlertModel {
  return {
    id,
    name,
    dashboardId: textAt(body, "dashboardId"),
    tileId: textAt(body, "tileId"),
    savedSearchId: textAt(body, "savedSearchId"),
    condition: describeCondition(body),
  };
}

/**
 * The threshold types in words. The words keep close to the API's terms (docs/api.md#alerts): `above` and `below_or_equal` include
 * the limit, `above_exclusive` and `below` do not.
 */
const WORDS: Readonly<Record<string, (threshold: string, most: string) => string>> = {
  above: (threshold) => `is above ${threshold}`,
  above_exclusive: (threshold) => `is strictly above ${threshold}`,
  below: (threshold) => `is below ${threshold}`,
  below_or_equal: (threshold) => `is ${threshold} or below`,
  equal: (threshold) => `is exactly ${threshold}`,
  not_equal: (threshold) => `is anything but ${threshold}`,
  between: (threshold, most) => `is between ${threshold} and ${most}`,
  not_between: (threshold, most) => `is outside ${threshold} to ${most}`,
};

function describeCondition(body: JsonObject): string {
  const type = textAt(body, "thresholdType");
  const threshold = plain(numberAt(body, "threshold"));
  const most = plain(numberAt(body, "thresholdMax"));
  const compared =
    ownMember(WORDS, type)?.(threshold, most) ?? `is ${type === "" ? "compared with" : type} ${threshold}`;
  const interval = textAt(body, "interval");
  const windows = numberAt(body, "numConsecutiveWindows") ?? 1;
  const offset = numberAt(body, "scheduleOffsetMinutes") ?? 0;
  const group = textAt(body, "groupBy");
  return [
    `${compared}${interval === "" ? "" : ` over ${interval}`}`,
    ...(windows > 1 ? [`${windows} windows in a row`] : []),
    ...(group === "" ? [] : [`for any ${group}`]),
    ...(offset > 0 ? [`windows begin ${offset} min late`] : []),
  ].join(", ");
}

function plain(value: number | undefined): string {
  return value === undefined ? "?" : numberText(value);
}
