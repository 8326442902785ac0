import type { RecordKey } from "../records/record.ts";
import type { ChildIds } from "../resource-kind.ts";

/** The one child of one record that is imported (`--tile`). */
export interface ChosenChild {
  readonly owner: RecordKey;
  readonly children: ChildIds;
  /** Its position in the archive's record. */
  readonly position: number;
  readonly id: string;
  readonly name: string;
  /** The record of the child, and the records that live on the child. */
  readonly keys: ReadonlySet<RecordKey>;
}

/** The parts of the archive's record that an update takes. The target's record keeps all others. */
export interface TakenParts {
  /** By member that holds children (`tiles`): positions in the archive's record of the children to take. */
  readonly taken: Readonly<Record<string, readonly number[]>>;
  /** The other members to take. */
  readonly members?: readonly string[];
  /** By member that holds children: positions in the target's record of the children to remove. */
  readonly removed?: Readonly<Record<string, readonly number[]>>;
  /** Parts that still differ from the archive's record after the update: `edits` of the target alone, or `conflicts`. */
  readonly leaves: "nothing" | "edits" | "conflicts";
}
