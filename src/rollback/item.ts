import type { JsonObject } from "../core/json.ts";
import type { KindName, RecordKey } from "../core/record.ts";

/** What is done with one record that the import wrote. */
export interface RollbackItem {
  readonly key: RecordKey;
  readonly kind: KindName;
  readonly sourceId: string;
  /** As the target calls it now; as the journal does where it is gone. */
  readonly name: string;
  readonly targetId: string;
  /** `update` puts back what the import replaced. */
  readonly action: "delete" | "update" | "skip";
  readonly code?: string;
  readonly message?: string;
  /** What is put back. */
  readonly previous?: JsonObject;
  /** What the target has now. */
  readonly current?: JsonObject;
  /** Records that have to be undone before, as they point to what is deleted or taken out. */
  readonly usedBy?: readonly RecordKey[];
}

/** What a rollback shows of an item. */
export function describeItem(item: RollbackItem): Omit<RollbackItem, "key" | "previous" | "current" | "usedBy"> {
  const { key: _key, previous: _previous, current: _current, usedBy: _usedBy, ...shown } = item;
  return shown;
}
