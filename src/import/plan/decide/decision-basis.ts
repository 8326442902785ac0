import type { RememberedRecord } from "../../../core/importing/memory.ts";
import type { TargetVerdicts } from "../../../core/importing/plan.ts";
import type { RecordKey, Variant } from "../../../core/records/record.ts";
import type { JournaledRecord } from "../../../journal/state.ts";
import type { ImportOptions } from "../../../matching/import-options.ts";
import type { Inventory } from "../../../matching/inventory.ts";
import type { Matching } from "../../../matching/match-all.ts";
import type { ArchiveIndex } from "../../../references/archive-index.ts";
import type { TransformNotes } from "../../transform/transform-records.ts";
import type { FillState } from "./decide-fill.ts";

/** What every decision rests on. */
export interface DecisionBasis {
  readonly archive: ArchiveIndex;
  readonly matching: Matching;
  readonly options: ImportOptions;
  readonly journaled: ReadonlyMap<RecordKey, JournaledRecord>;
  /** What became of the records in earlier imports, also of other archives of the same stack. */
  readonly remembered: ReadonlyMap<RecordKey, RememberedRecord>;
  /** Records whose create an earlier run began without a known end. */
  readonly lost: ReadonlySet<RecordKey>;
  readonly inventory: Inventory;
  readonly fills: FillState;
  readonly transformed: TransformNotes;
  readonly verdicts: TargetVerdicts;
  /** The variant of the stack that the archive is from; absent where it is not known. */
  readonly from?: Variant;
}
