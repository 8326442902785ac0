import type { Memory } from "../../core/plan/memory.ts";
import type { KindName, RecordKey } from "../../core/records/record.ts";
import type { MaxDelete } from "./max-delete.ts";

/** What of the target is deleted: what memory proves to be ours, or all dashboards and alerts that the source lacks. */
export type MirrorScope = "ours" | "all";

/** What is asked of a mirror. */
export interface MirrorOptions {
  readonly scope: MirrorScope;
  readonly maxDelete: MaxDelete;
  /** The archive is a backup that holds too little. */
  readonly isSuspect?: boolean;
}

/** What a mirror rests on. */
export interface MirrorBasis extends MirrorOptions {
  /** All that is remembered of the pair, under what the source's records are known by. */
  readonly memory: Memory;
  /** Why nothing is remembered, for people. */
  readonly unusable?: string;
  /** What a record of the archive is known by. */
  readonly identityOf: (key: RecordKey) => RecordKey;
  /** Kinds of which the archive has all that its source has: of any other nothing is gone for sure. */
  readonly whole: ReadonlySet<KindName>;
}

/** Codes of warnings after which a mirror has not done all that it was asked to (exit 3). */
const UNDONE: readonly string[] = ["not-mirrored", "max-delete"];

/** Whether the warnings of a plan say that a mirror could not do all of its work. */
export function isMirrorIncomplete(warnings: readonly { readonly code: string }[]): boolean {
  return warnings.some(({ code }) => UNDONE.includes(code));
}
