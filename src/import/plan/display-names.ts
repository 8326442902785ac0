import type { PlanItem } from "../../core/plan/plan.ts";
import type { StackRecord } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import { MAX_DISPLAY_NAMES, displayNameMember } from "../../kinds/names.ts";
import type { ArchiveIndex } from "../../references/archive-index.ts";

/** Gives a record without a name a display name. */
export type DisplayNames = (record: StackRecord) => Pick<PlanItem, "displayName">;

/**
 * Makes display names for records without a name, derived from the records that they reference. Only the first thousand records get
 * one.
 */
export function displayNames({ byKey }: ArchiveIndex): DisplayNames {
  let namesLeft = MAX_DISPLAY_NAMES;
  return (record) => {
    if (record.name.trim() !== "" || namesLeft === 0) return {};
    namesLeft -= 1;
    return displayNameMember(record, (kind, id) => byKey.get(recordKey(kind, id)));
  };
}
