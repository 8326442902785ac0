import type { KindName } from "../records/record.ts";

/** A record whose file is not used: nothing of it is written, compared or deleted. */
export interface LeftOutRecord {
  readonly kind: KindName;
  /** Of its entry; where the file cannot be read, its path. */
  readonly id: string;
  readonly name: string;
  /** `bad-file`: its own file has a mistake. `dependency-blocked`: it refers to a record that is left out. */
  readonly code: "bad-file" | "dependency-blocked";
  /** Each mistake with file, line and column. */
  readonly message: string;
  /** The record of the target that has its name. */
  readonly targetId?: string;
}
