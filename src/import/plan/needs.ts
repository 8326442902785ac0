import type { RecordKey } from "../../core/record.ts";

/** What a record that is written needs of others that are written. */
export interface Needs {
  /** Cannot be left out of the first write. */
  readonly hard: ReadonlySet<RecordKey>;
  /** Can be added by a second write. */
  readonly soft: ReadonlySet<RecordKey>;
}
