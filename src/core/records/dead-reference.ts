import type { KindName } from "./record.ts";
import type { IdSpace } from "../resource-kind.ts";

/** A record that points to something that was not there any more when its stack was read. */
export interface DeadReference {
  readonly kind: KindName;
  readonly id: string;
  readonly name: string;
  /** Of the first place in the record. */
  readonly pointer: string;
  /** How many places of the record point to it. */
  readonly places: number;
  readonly space: IdSpace;
  /** What it points to; of a child, its own id. */
  readonly to: string;
  /** A child that its record does not show: the stack may hold it, and no answer has it (docs/api.md#hidden-tiles). */
  readonly isUnshown: boolean;
}
