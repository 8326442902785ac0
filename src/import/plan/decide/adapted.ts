import type { IdMap } from "../../../core/importing/id-map.ts";
import type { StackRecord } from "../../../core/records/record.ts";
import { translatedBody } from "../../../matching/pair-kind.ts";
import { borrowSecrets } from "../../../redaction/placeholders.ts";
import { haveSameContent } from "../../../references/record-content.ts";
import type { DecisionBasis } from "./decision-basis.ts";
import type { Undecided } from "./decision.ts";

/** Under `--adapt` the target may still have the record in the form that a write would not take. */
export function isUnadapted(
  { kind, record }: Undecided,
  { body: there }: StackRecord,
  ids: IdMap,
  { archive, options }: DecisionBasis,
): boolean {
  if (options.adapt !== true) return false;
  const body = translatedBody(kind, record, archive, { ...options, adapt: false }, ids);
  return haveSameContent(kind, borrowSecrets(body, there), there);
}
