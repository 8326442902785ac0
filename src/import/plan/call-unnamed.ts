import type { PlanItem } from "../../core/plan/plan.ts";
import type { StackRecord } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import { MAX_CALLED, calledInstead } from "../../kinds/called.ts";
import type { ArchiveIndex } from "../../references/archive-index.ts";

/** Gives a record without a name a display name. */
export type CallUnnamed = (record: StackRecord) => Pick<PlanItem, "called">;

/**
 * Makes display names for records without a name, derived from the records that they reference. Only the first thousand records get
 * one.
 */
export function callUnnamed({ byKey }: ArchiveIndex): CallUnnamed {
  let left = MAX_CALLED;
  return (record) => {
    if (record.name.trim() !== "" || left === 0) return {};
    left -= 1;
    return calledInstead(record, (kind, id) => byKey.get(recordKey(kind, id)));
  };
}
