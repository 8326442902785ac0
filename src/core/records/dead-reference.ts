import type { KindName } from "./record.ts";
import type { IdSpace } from "../resource-kind.ts";

/** A dangling reference: the record that it points to did not exist when the stack was read. */
export interface DeadReference {
  readonly kind: KindName;
  readonly id: string;
  readonly name: string;
  /** JSON pointer to the first place in the record that holds the reference. */
  readonly pointer: string;
  /** The number of places in the record that hold the reference. */
  readonly places: number;
  readonly space: IdSpace;
  /** The id that the reference points to; for a child, the child's own id. */
  readonly to: string;
  /** True if the reference points to a child that no answer shows: the stack may have that child (docs/api.md#hidden-tiles). */
  readonly isUnshown: boolean;
}
