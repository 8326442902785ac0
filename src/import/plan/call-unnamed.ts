import type { PlanItem } from "../../core/plan/plan.ts";
import type { StackRecord } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import { MAX_CALLED, calledInstead } from "../../kinds/called.ts";
import type { ArchiveIndex } from "../../references/archive-index.ts";

/** What people call a record, where it has no name. */
export type CallUnnamed = (record: StackRecord) => Pick<PlanItem, "called">;

/** Calls records without a name by what they point to in the archive; after the first thousand, by nothing. */
export function callUnnamed({ byKey }: ArchiveIndex): CallUnnamed {
  let left = MAX_CALLED;
  return (record) => {
    if (record.name.trim() !== "" || left === 0) return {};
    left -= 1;
    return calledInstead(record, (kind, id) => byKey.get(recordKey(kind, id)));
  };
}
