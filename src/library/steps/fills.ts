import { recordKey } from "../../core/record.ts";
import type { RecordFills } from "../../import/read/fill-records.ts";

/** The secrets that were taken out: `KIND/ID` of a record → JSON pointer → values, in the order of the placeholders in the text. For what no stack shows (a connection's `/password`): its value, or null. */
export type FillValues = Readonly<Record<string, Readonly<Record<string, readonly string[] | null>>>>;

/** The same by record, and every value: none of them may be written down anywhere. */
export function fillsOf(given: FillValues): { readonly fills: RecordFills; readonly values: readonly string[] } {
  const fills = Object.entries(given).map(([text, places]) => {
    const [kind = ""] = text.split("/");
    return [recordKey(kind, text.slice(kind.length + 1)), places] as const;
  });
  return {
    fills: new Map(fills),
    values: Object.values(given).flatMap((places) => Object.values(places).flatMap((given) => given ?? [])),
  };
}
