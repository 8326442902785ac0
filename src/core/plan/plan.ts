import type { MemberChange } from "../diff.ts";
import type { IdMapping, KnownIds } from "./id-map.ts";
import type { ChangedSince } from "./memory.ts";
import type { Action, Warning } from "../outcome.ts";
import type { KindName, RecordKey, StackRecord } from "../records/record.ts";
import type { PlannedMirror } from "./removal.ts";
import type { IdSpace } from "../resource-kind.ts";

/** What `apply` does with a record that only the target has changed since the last run. */
export type EditedPolicy = "keep" | "overwrite" | "fail";

/** What to do with a record of the archive that the target has already (`--on-conflict`). */
export type ConflictPolicy = "skip" | "update" | "duplicate" | "fail";

/** An id of the target that somebody named, and that nothing on the target shows. */
export interface UnverifiedId {
  readonly space: IdSpace;
  readonly id: string;
}

/** A member that is written in another form than the archive has, as the API refuses that one. */
export interface Adaptation {
  /** JSON pointer into the record. */
  readonly pointer: string;
  /** For people: `24 instead of 30`. Of a record's texts it holds none but its name and tags. */
  readonly change: string;
}

/** What is to be done with one record of the archive. Bodies are not held here: they are read again when it is written. */
export interface PlanItem {
  readonly kind: KindName;
  readonly sourceId: string;
  readonly name: string;
  /** What people call it, where it has no name. */
  readonly called?: string;
  readonly action: Exclude<Action, "delete" | "export">;
  /** The record on the target that this one is, where it exists already. */
  readonly targetId?: string;
  /** The name that the target's record has, where it is another one than this record would have there. */
  readonly targetName?: string;
  /** Why it is blocked or skipped. */
  readonly code?: string;
  readonly message?: string;
  /** Records that must be written before this one. */
  readonly dependsOn: readonly RecordKey[];
  /** Records that this one points to but cannot wait for, as they wait for it: closed by a second write (design, Cycles). */
  readonly linksTo: readonly RecordKey[];
  /** Pointers of text in which ids of the source stack are rewritten (design, "References found everywhere"). */
  readonly rewrites: readonly string[];
  /** Pointers of members that are left out, as what they name is not on the target. */
  readonly leftOut?: readonly string[];
  /** What the target's transforms have changed in it. */
  readonly transformed?: readonly Adaptation[];
  /** What `--adapt` changes in it. */
  readonly adaptations?: readonly Adaptation[];
  /**
   * For an update: the target's record when the plan was made, so that a change since then is noticed. It is the inventory's,
   * whose body may be packed until it is asked for. Also of what is left alone because it was changed since the last import.
   */
  readonly replaces?: StackRecord;
  /** What has changed since the last import, where the target's record was changed: nobody's work is to be lost unnoticed. */
  readonly since?: ChangedSince;
  /** For an update: the target's records that point to its children. The server may delete them along with it. */
  readonly dependents?: readonly StackRecord[];
  /** Records of the target that must be gone before: the update takes out what they watch. */
  readonly afterRemovals?: readonly RecordKey[];
  /** Ids that it would be written with and that only a write can prove: the target has no list of such things. */
  readonly unverified?: readonly UnverifiedId[];
  /** For a create: members that the map file gives in place of the archive's. */
  readonly mapped?: readonly MappedMember[];
  /** For an update and a conflict, once it was looked at: what it changes, or would. Secrets are taken out of both sides. */
  readonly changes?: readonly MemberChange[];
}

/** A text that a record is created with in place of the archive's. */
export interface MappedMember {
  readonly member: string;
  /** Absent where the archive has none. */
  readonly from?: string;
  readonly to: string;
}

/** How an id of the archive was recognised on the target. */
export interface Match {
  readonly space: IdSpace;
  readonly from: string;
  readonly to: string;
  readonly name: string;
  readonly targetName: string;
  /** `map-file`, `memory`, `same-id`, `equal-content`, `natural-key`, `inferred` from matched records, `default`, or `in-use` by the target's records. */
  readonly rule: string;
  /** The target has no list to look the id up in, and none of its records uses it. */
  readonly unverified?: true;
}

/** Something that records need and that could not be matched: a line of the drafted map file. */
export interface Unresolved {
  readonly space: IdSpace;
  readonly id: string;
  readonly name: string;
  /** `dead`: the archive does not have it either. */
  readonly reason: "missing" | "ambiguous" | "dead";
  readonly candidates: readonly { readonly id: string; readonly name: string }[];
  /** The target has no list of such things: the candidates are those that its records use, and there may be others. */
  readonly unlisted?: true;
  /** How many records are blocked by it. */
  readonly neededBy: number;
}

/** A place where a record needs a secret that was taken out on export: an entry of the drafted fill file. */
export interface MissingSecret {
  readonly key: RecordKey;
  readonly name: string;
  readonly pointer: string;
  /** The rules of its placeholders, in their order in the text. */
  readonly rules: readonly string[];
  /** What an answer is bound to: a fill file's value is taken only with the same. */
  readonly context: string;
  /** What stands around each placeholder, hosts in front; for what is needed, the address that it goes to. Safe to show. */
  readonly around: readonly string[];
  /** No placeholder: a member that no answer of a stack shows. The fill file may say that there was none. */
  readonly needed?: true;
  /** Of what is needed: texts by name (headers), and not one text. */
  readonly named?: true;
}

/** What the target says of writes that it was asked about. */
export interface TargetVerdicts {
  /** Creates that it would refuse, with its reason. */
  readonly refused: ReadonlyMap<RecordKey, string>;
  /** Updates that would change nothing, as it keeps none of what is new: the pointers of that. */
  readonly notKept: ReadonlyMap<RecordKey, readonly string[]>;
}

/** All that an import would do. Pure data, made without writing anything. */
export interface Plan {
  readonly items: readonly PlanItem[];
  readonly matches: readonly Match[];
  readonly unresolved: readonly Unresolved[];
  /** What a fill file has to supply before the records that are blocked as `redacted` can be written. */
  readonly toFill: readonly MissingSecret[];
  /** Ids known before anything is written: the matches, and the children of matched records. */
  readonly ids: readonly IdMapping[];
  /** Ids of the archive to look for in text. */
  readonly known: KnownIds;
  readonly warnings: readonly Warning[];
  /** What the target has and the source no longer does; absent without `--mirror`. */
  readonly mirror?: PlannedMirror;
  /** Ids of what the target had when the plan was made, by kind. */
  readonly present: ReadonlyMap<KindName, ReadonlySet<string>>;
}

/** Members that a record is created with in place of the archive's: `{ host: "http://ch.new:8123" }`. */
export type MappedMembers = Readonly<Record<string, string>>;

/** What the map file says: by id space, an id or name of the source → an id or name of the target, or members to create it with. */
export type ManualMapping = Readonly<Record<IdSpace, Readonly<Record<string, string | MappedMembers>>>>;

/** Candidates that are named for each id that could not be matched: the target can have thousands, and as many such ids. */
export const MAX_CANDIDATES = 50;

/** The candidates that are named, and how many more there are. */
export function someCandidates({ candidates }: Unresolved): {
  readonly some: Unresolved["candidates"];
  readonly more: number;
} {
  return { some: candidates.slice(0, MAX_CANDIDATES), more: Math.max(0, candidates.length - MAX_CANDIDATES) };
}
