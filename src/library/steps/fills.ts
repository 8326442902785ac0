import type { FillAnswer, FillLines } from "../../core/plan/fill.ts";
import { textsOf } from "../../core/plan/fill.ts";

/**
 * The secrets that an archive does not have: `KIND/ID` of a record → JSON pointer → the answer. `context` is that of the plan's
 * `toFill`: a value is only used for what it was looked at for. `value` is a text, an array where a text lacks more than one, an
 * object for texts by name (a webhook's `/headers`), or null where there was none.
 */
export type FillValues = Readonly<Record<string, Readonly<Record<string, FillAnswer | readonly FillAnswer[]>>>>;

/** The same with a list for each place, and every value: none of them may be written down anywhere. */
export function fillsOf(given: FillValues): { readonly fills: FillLines; readonly values: readonly string[] } {
  const records = Object.entries(given).map(([key, places]) => {
    const lists = Object.entries(places).map(([pointer, answers]) => [pointer, [answers].flat()] as const);
    return [key, Object.fromEntries(lists)] as const;
  });
  const answers = records.flatMap(([, places]) => Object.values(places).flat());
  return { fills: Object.fromEntries(records), values: answers.flatMap(({ value }) => textsOf(value)) };
}
