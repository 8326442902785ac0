import type { StateRecords } from "../../core/plan/state.ts";
import type { KindName, RecordKey } from "../../core/records/record.ts";
import type { MaxDelete } from "./max-delete.ts";

/**
 * Records that a mirror deletes: `ours` are those that the state proves to be ours, `all` are all dashboards and alerts that the
 * source lacks.
 */
export type MirrorScope = "ours" | "all";

/** The user's options for a mirror. */
export interface MirrorOptions {
  readonly scope: MirrorScope;
  readonly maxDelete: MaxDelete;
  /** Whether the archive is a backup that holds too little. */
  readonly isSuspect?: boolean;
}

/** The input of a mirror. */
export interface MirrorBasis extends MirrorOptions {
  /** The state of this source and target, keyed by the identities of the source's records. */
  readonly stateRecords: StateRecords;
  /** Why there is no usable state, for a message. */
  readonly unusable?: string;
  /** Returns the identity of an archive's record. */
  readonly identityOf: (key: RecordKey) => RecordKey;
  /** Kinds that the archive holds completely: records of other kinds are never certain to be gone. */
  readonly whole: ReadonlySet<KindName>;
}

/** Codes of warnings after which a mirror is incomplete (exit 3). */
const UNDONE: readonly string[] = ["not-mirrored", "max-delete"];

/** Tells whether the warnings of a plan show that a mirror could not delete all that it should. */
export function isMirrorIncomplete(warnings: readonly { readonly code: string }[]): boolean {
  return warnings.some(({ code }) => UNDONE.includes(code));
}
