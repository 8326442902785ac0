import type { KindName } from "./record.ts";
import type { IdSpace } from "../resource-kind.ts";

/** A dangling reference: the record that it points to did not exist when the stack was read. */
export interface DeadReference {
  readonly kind: KindName;
  readonly id: string;
  readonly name: string;
  /** Pointer to the first place in the record. */
  readonly pointer: string;
  /** The number of places in the record that hold it. */
  readonly places: number;
  readonly space: IdSpace;
  /** The id that it points to; for a child, the child's own id. */
  readonly to: string;
  /** True for a child that no answer shows: the stack may have it (docs/api.md#hidden-tiles). */
  readonly isUnshown: boolean;
}
