import type { MemberChange } from "../diff.ts";
import type { IdMapping, KnownIds } from "./id-map.ts";
import type { ChangedSince } from "./state.ts";
import type { Action, Warning, Outcome } from "../outcome.ts";
import type { KindName, RecordKey, StackRecord } from "../records/record.ts";
import { recordKey } from "../records/record.ts";
import type { IdSpace } from "../resource-kind.ts";

/** The treatment by `apply` of a record that only the target has changed since the last run. */
export type EditedPolicy = "keep" | "overwrite" | "fail";

/** The treatment of a record of the archive that the target already has (`--on-conflict`). */
export type ConflictPolicy = "skip" | "update" | "duplicate" | "fail";

/** An id of the target that the user named, and that nothing on the target confirms. */
export interface UnverifiedId {
  readonly space: IdSpace;
  readonly id: string;
}

/** A member that is written in another form than the archive has, because the API refuses that form. */
export interface AlteredMember {
  /** JSON pointer into the record. */
  readonly pointer: string;
  /** For people: `24 instead of 30`. It holds no text of the record but its name and tags. */
  readonly change: string;
}

/** The planned action for one record of the archive. Bodies are not kept here: they are read again when the record is written. */
export interface PlanItem {
  readonly kind: KindName;
  readonly sourceId: string;
  readonly name: string;
  /** Display name of a record that has no name. */
  readonly displayName?: string;
  readonly action: Exclude<Action, "delete" | "export">;
  /** The record's counterpart on the target, if it exists already. */
  readonly targetId?: string;
  /** The target record's name, where it differs from the name that the import would give it. */
  readonly targetName?: string;
  /** Why it is blocked or skipped. */
  readonly code?: string;
  readonly message?: string;
  /** Records that must be written before this one. */
  readonly dependsOn: readonly RecordKey[];
  /** Records that this one points to but that also wait for it: these links are deferred to a second write. */
  readonly linksTo: readonly RecordKey[];
  /** Pointers of text in which ids of the source stack are rewritten. */
  readonly rewrites: readonly string[];
  /** Pointers of members that are left out because the target does not have the record that they name. */
  readonly leftOut?: readonly string[];
  /** The changes that the target's transforms make in the record. */
  readonly transformed?: readonly AlteredMember[];
  /** The changes that `--fit-limits` makes in the record. */
  readonly fitted?: readonly AlteredMember[];
  /**
   * For an update: the target's record when the plan was made, so that a change since then is noticed. It comes from the inventory,
   * whose body may stay packed until it is asked for. Also set for a record that is left alone because it was changed since the
   * last import.
   */
  readonly replaces?: StackRecord;
  /** The changes since the last import, if the target's record was changed: nobody's work may be lost unnoticed. */
  readonly since?: ChangedSince;
  /** For an update: the target's records that point to its children. The server may delete them along with a child. */
  readonly dependents?: readonly StackRecord[];
  /** Records of the target that must be deleted first: the update removes the children that they watch. */
  readonly afterRemovals?: readonly RecordKey[];
  /** Ids in the record that only a write can prove: the target has no list of such things. */
  readonly unverified?: readonly UnverifiedId[];
  /** For a create: members that the map file gives instead of the archive. */
  readonly mapped?: readonly MappedMember[];
  /**
   * For an update or a conflict, once it was compared: the changes that it makes, or would make. Secrets are redacted on both
   * sides.
   */
  readonly changes?: readonly MemberChange[];
}

/** A text that a record is created with instead of the archive's text. */
export interface MappedMember {
  readonly member: string;
  /** Absent if the archive has none. */
  readonly from?: string;
  readonly to: string;
}

/** The counterpart on the target of an id of the archive, and the rule that found it. */
export interface Match {
  readonly space: IdSpace;
  readonly from: string;
  readonly to: string;
  readonly name: string;
  readonly targetName: string;
  /** `map-file`, `state`, `same-id`, `equal-content`, `natural-key`, `inferred` from matched records, `default`, or `in-use` by the target's records. */
  readonly rule: string;
  /** The target has no list to look the id up in, and none of its records uses it. */
  readonly unverified?: true;
}

/** Something that records need and that has no match: a line of the drafted map file. */
export interface Unresolved {
  readonly space: IdSpace;
  readonly id: string;
  readonly name: string;
  /** `dead`: the archive does not have it either. */
  readonly reason: "missing" | "ambiguous" | "dead";
  readonly candidates: readonly { readonly id: string; readonly name: string }[];
  /** The target has no list of such things: the candidates are those that its records use, and there may be more. */
  readonly unlisted?: true;
  /** The number of records that it blocks. */
  readonly neededBy: number;
}

/** A place where a record needs a secret that the export redacted: an entry of the drafted secrets file. */
export interface MissingSecret {
  readonly key: RecordKey;
  readonly name: string;
  readonly pointer: string;
  /** The rules of its placeholders, in their order in the text. */
  readonly rules: readonly string[];
  /** The context that an answer is bound to: the value of a secrets file is used only if its context is the same. */
  readonly context: string;
  /** The text around each placeholder, hosts first; for a write-only member, the address that it is sent to. Safe to show. */
  readonly around: readonly string[];
  /** Not a placeholder but a write-only member, which no stack returns. The secrets file may say that there was none. */
  readonly writeOnly?: true;
  /** The write-only member holds texts by name (headers), not one text. */
  readonly named?: true;
}

/** The target's answers to validated writes. */
export interface TargetVerdicts {
  /** Creates that the target would refuse, with its reason. */
  readonly refused: ReadonlyMap<RecordKey, string>;
  /** Updates that would change nothing, because the target drops every new value: the pointers of those values. */
  readonly notKept: ReadonlyMap<RecordKey, readonly string[]>;
}

/** Everything that an import would do. Pure data; making it writes nothing. */
export interface Plan {
  readonly items: readonly PlanItem[];
  readonly matches: readonly Match[];
  readonly unresolved: readonly Unresolved[];
  /** Secrets that a secrets file has to supply before the records that are blocked as `redacted` can be written. */
  readonly missingSecrets: readonly MissingSecret[];
  /** Ids that are mapped before anything is written: the matches, and the children of matched records. */
  readonly ids: readonly IdMapping[];
  /** Ids of the archive to look for in text. */
  readonly knownIds: KnownIds;
  readonly warnings: readonly Warning[];
  /** The records that the target has and the source no longer does; absent without `--mirror`. */
  readonly mirror?: PlannedMirror;
  /** Ids of the target's records when the plan was made, by kind. */
  readonly present: ReadonlyMap<KindName, ReadonlySet<string>>;
}

/** Members that a record is created with instead of the archive's: `{ host: "http://ch.new:8123" }`. */
export type MappedMembers = Readonly<Record<string, string>>;

/**
 * The content of the map file: by id space, an id or name of the source → an id or name of the target, or members to create it
 * with.
 */
export type ManualMapping = Readonly<Record<IdSpace, Readonly<Record<string, string | MappedMembers>>>>;

/** Candidates named for each unmatched id: the target can have thousands, and as many such ids. */
export const MAX_CANDIDATES = 50;

/** Returns the candidates to name, and the number of the others. */
export function someCandidates({ candidates }: Unresolved): {
  readonly some: Unresolved["candidates"];
  readonly more: number;
} {
  return { some: candidates.slice(0, MAX_CANDIDATES), more: Math.max(0, candidates.length - MAX_CANDIDATES) };
}

/** Returns the key of a plan's item. */
export function itemKey(item: PlanItem): RecordKey {
  return recordKey(item.kind, item.sourceId);
}

/** A record of the target that the source no longer has, and the planned action (`--mirror`). */
export interface Removal {
  readonly kind: KindName;
  /** The record's id at the source; the target's id where the state has no entry for it. */
  readonly sourceId: string;
  /** Its name on the target. */
  readonly name: string;
  readonly targetId: string;
  /** `unchanged`: the target no longer has it either. */
  readonly action: "delete" | "skip" | "blocked" | "unchanged";
  /** Why the record is not deleted. */
  readonly code?: string;
  readonly message?: string;
  /** The record as it was when the plan was made: it is kept if it has changed since then. */
  readonly targetRecord?: StackRecord;
}

/** Everything that `--mirror` would do. */
export interface PlannedMirror {
  readonly removals: readonly Removal[];
  /** The number of records that may be deleted (`--max-delete`). */
  readonly allowed: number;
  /** The number of records that a percentage in `--max-delete` refers to. */
  readonly of: number;
}

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

/** Converts a plan's items into outcomes of a dry run. */
export function plannedOutcomes(plan: Plan): Outcome[] {
  const removals = plan.mirror?.removals ?? [];
  return [...plan.items.map(plannedOutcome), ...removals.map(removalOutcome)];
}

function plannedOutcome(item: PlanItem): Outcome {
  const { kind, name, displayName, sourceId, action, targetId, targetName, code, message } = item;
  return { kind, name, sourceId, displayName, targetId, targetName, action, status: "planned", code, message };
}

/** Converts a removal to the outcome of a run that did not reach it. */
export function removalOutcome({ kind, name, sourceId, targetId, action, code, message }: Removal): Outcome {
  const why = { ...(code !== undefined && { code }), ...(message !== undefined && { message }) };
  return { kind, name, sourceId, targetId, action, status: "planned", ...why };
}
