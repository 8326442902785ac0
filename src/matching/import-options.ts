import type { ConflictPolicy, EditedPolicy, ManualMapping } from "../core/plan/plan.ts";
import type { RecordFilter } from "../core/records/record-filter.ts";
import { isSelected } from "../core/records/record-filter.ts";
import type { KindName, StackRecord } from "../core/records/record.ts";
import type { IdSpace } from "../core/resource-kind.ts";
import type { Labels } from "./labels.ts";

/** What an import is asked to do. */
export interface ImportOptions {
  /** What to do where the target has a record already and it differs. Records that are equal are always left alone. */
  readonly onConflict: ConflictPolicy;
  /** Given where the archive is the truth: what the target alone has changed is then no end to be content with. */
  readonly onEdited?: EditedPolicy;
  /** Kinds to import; empty means all that can be. */
  readonly kinds: readonly KindName[];
  /** Kinds of which records are created where the target has no counterpart: connections, sources, webhooks, saved searches. */
  readonly create: readonly KindName[];
  /** Applies to the kinds that are written; what they point to is matched whether selected or not. */
  readonly filter: RecordFilter;
  readonly mapping: ManualMapping;
  /** Pairs that the names of files tell. A memory decides before them, the mapping before both. */
  readonly paired?: ManualMapping;
  /** By id space: id or name on the target of what stands in for anything that cannot be matched (`--default-webhook`). */
  readonly defaults: Readonly<Record<IdSpace, string>>;
  /** Changes what is written, and so what is looked for on the target. */
  readonly labels: Labels;
  /** The archive is a backup that is meant: the state recognises its records and protects none of the target's. */
  readonly restores?: boolean;
  /** Write what the API refuses in a form that it takes; default false. */
  readonly adapt?: boolean;
  /** When it is asked, in milliseconds: what is refused by its age is only known beside it. */
  readonly now?: number;
  /** Write also where that destroys what no answer of the target shows; default false. */
  readonly acceptHiddenLoss?: boolean;
}

/** Whether an import is asked to write this record, if it can be written at all. */
export function isRequested(record: StackRecord, { kinds, filter }: ImportOptions): boolean {
  return (kinds.length === 0 || kinds.includes(record.kind)) && isSelected(record, filter);
}
