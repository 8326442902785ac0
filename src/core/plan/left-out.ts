import type { KindName } from "../records/record.ts";

/** A record whose file is not used: it is not written, compared or deleted. */
export interface LeftOutRecord {
  readonly kind: KindName;
  /** The id of its entry; the file's path if the file cannot be read. */
  readonly id: string;
  readonly name: string;
  /** `bad-file`: its own file has a mistake. `dependency-blocked`: it refers to a record that is left out. */
  readonly code: "bad-file" | "dependency-blocked";
  /** Each mistake with file, line and column. */
  readonly message: string;
  /** The record of the target with the same name. */
  readonly targetId?: string;
}
