import type { JsonObject } from "../json.ts";
import { definedMembers } from "../collections.ts";
import type { MemberChange } from "../diff.ts";
import type { OutcomeAction, Outcome, Warning } from "../outcome.ts";
import { StackferryError } from "../errors.ts";
import { recordKey, type KindName, type RecordKey, type StackRecord } from "../records/record.ts";
import type { ChildIds, IdSpace } from "../resource-kind.ts";
import type { IdMapping, IdsToCome } from "./id-map.ts";
import type { Settled } from "./journal.ts";

/** The treatment of a record that may have been changed on the target (`--on-conflict`). */
export type ConflictPolicy = "keep" | "merge" | "overwrite" | "fail";

/** For people: `tags`, `tile "Errors"`. */
export interface ChangesSinceImport {
  readonly source: readonly string[];
  readonly target: readonly string[];
}

export interface AlteredMember {
  readonly pointer: string;
  /** For people. Contains no text of the record except name and tags. */
  readonly change: string;
}

/** The planned action for one record. `code` and `message` give the reason or a remark. */
export interface PlanItem extends Omit<Outcome, "action" | "status"> {
  readonly action: Exclude<OutcomeAction, "delete" | "export">;
  readonly blockedBy?: RecordKey;
  readonly dependsOn: readonly RecordKey[];
  /** Linked records that in turn need this record. A second write adds the links. */
  readonly linksTo: readonly RecordKey[];
  /** Pointers of members that the write leaves out, because the target lacks the referenced record. */
  readonly leftOut?: readonly string[];
  readonly transformed?: readonly AlteredMember[];
  readonly fitted?: readonly AlteredMember[];
  /** The target's record at plan time, for an update or for a record that differs and stays. */
  readonly replaces?: StackRecord;
  readonly since?: ChangesSinceImport;
  /** Records that the server may delete with a child of the record. */
  readonly dependents?: readonly StackRecord[];
  /** Content that the API may hide (docs/api.md#hidden-tiles). */
  readonly mayHide?: MayHide;
  readonly parts?: TakenParts;
  readonly kept?: readonly KeptPart[];
  /** True if `--on-conflict merge` would write parts of this record. */
  readonly isMergeable?: boolean;
  readonly seen?: Settled;
  /** Records to delete first, because they reference children that the update removes. */
  readonly afterRemovals?: readonly RecordKey[];
  /** Absent if not computed. Secrets are redacted. */
  readonly changes?: readonly MemberChange[];
}

/** A record in the target's ids, with stand-ins for ids that the run will create. */
export interface PlannedBody {
  /** The children keep the ids of the archive. */
  readonly desired: JsonObject;
  readonly links: readonly PlannedLink[];
}

export interface PlannedLink {
  readonly pointer: string;
  readonly tokens: readonly string[];
  readonly to: RecordKey | undefined;
}

export interface MayHide {
  readonly settings: readonly string[];
  readonly notHeld: readonly string[];
  readonly hint?: string;
}

/** The key as in `Base.parts`, and a label for people. */
export interface KeptPart {
  readonly key: string;
  readonly label: string;
}

export interface Match extends IdMapping {
  readonly name: string;
  readonly targetName: string;
  /** `map-file`, `journal`, `file-name`, `same-id`, `equal-content`, `natural-key`, or `inferred`. */
  readonly rule: string;
}

/** A referenced id without a match: a line of the drafted map file. */
export interface UnresolvedId {
  readonly space: IdSpace;
  readonly id: string;
  readonly name: string;
  /** `dead`: the archive has no such record either. */
  readonly reason: "missing" | "ambiguous" | "dead";
  readonly candidates: readonly {
    readonly id: string;
    readonly name: string;
  }[];
  /** True if the target has no list of this kind. The candidates may then lack the right id. */
  readonly unlisted?: true;
  readonly neededBy: number;
}

export interface MissingSecret {
  readonly key: RecordKey;
  readonly name: string;
  readonly pointer: string;
  /** The placeholders' redaction rules, in the order of the text. */
  readonly rules: readonly string[];
  /** Digest of what decides where the secret goes. A value in the secrets file counts only while the digest is equal. */
  readonly context: string;
  /** The text around each placeholder, or the address that gets a write-only value. Contains no secret. */
  readonly around: readonly string[];
  /** True for a member that no stack returns. In the secrets file, `null` says that it had no value. */
  readonly writeOnly?: true;
  readonly named?: true;
}

/** All actions of an import. Making a plan writes nothing. */
export interface Plan {
  readonly items: readonly PlanItem[];
  readonly matches: readonly Match[];
  readonly unresolved: readonly UnresolvedId[];
  /** Secrets that a secrets file can supply for records blocked as `redacted`. */
  readonly missingSecrets: readonly MissingSecret[];
  readonly ids: readonly IdMapping[];
  /** Contains secrets of the secrets file, so the results of the library have no bodies. */
  readonly bodies: ReadonlyMap<RecordKey, PlannedBody>;
  readonly idsToCome: IdsToCome;
  readonly warnings: readonly Warning[];
  /** Absent without `--mirror`. */
  readonly mirror?: PlannedMirror;
  /** The digest for `--plan`, in a dry run or an approved run. */
  readonly digest?: string;
}

const DIGEST_LENGTH = 64;
/** The digits that a dry run prints, and the minimum that identifies a plan. */
const SHORT_LENGTH = 16;

const DIGEST_PATTERN = new RegExp(`^[0-9a-f]{${SHORT_LENGTH},${DIGEST_LENGTH}}$`, "i");

export function shortDigest(digest: string): string {
  return digest.slice(0, SHORT_LENGTH);
}

/**
 * Returns the digits in lower case.
 * @throws StackferryError `usage` for a text that is no digest, and in a dry run
 */
export function checkPlanDigest(digits: string | undefined, dryRun: boolean | undefined): string | undefined {
  if (digits === undefined) return undefined;
  if (dryRun === true) {
    throw new StackferryError("usage", "--plan and --dry-run exclude each other", {
      hint: "--plan carries a plan out, --dry-run only shows the plan.",
    });
  }
  if (DIGEST_PATTERN.test(digits)) return digits.toLowerCase();
  throw new StackferryError("usage", `--plan takes ${SHORT_LENGTH} to ${DIGEST_LENGTH} hexadecimal digits`, {
    hint: "They are in the last line of a dry run: Plan 3f9a1c0d22b7e451",
  });
}

export const EVERY_OTHER = "*";

/** The map file: the target's id or name for each id or name of the source, by id space. */
export type ManualMapping = Readonly<Record<IdSpace, Readonly<Record<string, string>>>>;

/** A plan can have thousands of candidates for each of thousands of ids. */
export const MAX_CANDIDATES_NAMED = 50;

export function limitCandidates({ candidates }: UnresolvedId) {
  const some = candidates.slice(0, MAX_CANDIDATES_NAMED);
  return { some, more: candidates.length - some.length };
}

export function willWrite({ action }: Pick<PlanItem, "action">): boolean {
  return action === "create" || action === "update";
}

export function itemKey({ kind, sourceId }: Pick<Outcome, "kind" | "sourceId">): RecordKey {
  return recordKey(kind, sourceId);
}

export function recordOf(
  about: Pick<Outcome, "kind" | "sourceId">,
  records: ReadonlyMap<RecordKey, StackRecord>,
): StackRecord {
  const record = records.get(itemKey(about));
  if (record === undefined) throw new Error(`${itemKey(about)} is in the plan and not in the archive`);
  return record;
}

export interface Removal extends Pick<Outcome, "kind" | "name" | "displayName" | "code" | "message"> {
  /** The id at the source; the target's id if the journal does not know the record. */
  readonly sourceId: string;
  readonly targetId: string;
  /** `unchanged`: the target no longer has the record. */
  readonly action: "delete" | "skip" | "blocked" | "unchanged";
  /** The record at plan time. A record that has changed since then is not deleted. */
  readonly targetRecord?: StackRecord;
}

export interface PlannedMirror {
  readonly removals: readonly Removal[];
  readonly allowed: number | undefined;
  /** The number to which a percentage in `--max-delete` refers. */
  readonly of: number;
}

export interface LeftOutRecord {
  readonly kind: KindName;
  /** The file's path if the file cannot be read. */
  readonly id: string;
  readonly name: string;
  /** `bad-file`: the own file has a mistake. `dependency-blocked`: a referenced record is left out. */
  readonly code: "bad-file" | "dependency-blocked";
  /** Names file, line and column of each mistake. */
  readonly message: string;
  readonly targetId?: string;
}

export function plannedOutcomes(plan: Plan): Outcome[] {
  return [...plan.items, ...(plan.mirror?.removals ?? [])].map(plannedOutcome);
}

export function plannedOutcome(planned: Omit<Outcome, "status">): Outcome {
  const { kind, name, displayName, sourceId, action, targetId, targetName, code, message } = planned;
  const about = { kind, name, sourceId, displayName, targetId, targetName };
  return definedMembers({ ...about, action, status: "planned", code, message });
}

export interface ChosenChild {
  readonly owner: RecordKey;
  readonly children: ChildIds;
  readonly position: number;
  readonly id: string;
  readonly name: string;
  /** The owner, and the records that live on the child. */
  readonly keys: ReadonlySet<RecordKey>;
}

/** The parts that an update takes from the archive; the target's record keeps all others. */
export interface TakenParts {
  /** Positions in the archive's record, by the member that holds the children (`tiles`). */
  readonly taken: Readonly<Record<string, readonly number[]>>;
  readonly members?: readonly string[];
  readonly removed?: Readonly<Record<string, readonly number[]>>;
}

/** The n-th `*` of `to` stands for the text that the n-th `*` of `from` matched. */
export interface RenameRule {
  readonly kind?: KindName;
  readonly from: string;
  readonly to: string;
}

/** Neither text is a pattern. */
export interface ReplaceRule {
  readonly from: string;
  readonly to: string;
}

/** Applied before an import is planned. */
export interface Transforms {
  /** The first rule that matches a name applies. */
  readonly rename?: readonly RenameRule[];
  /** `drop` patterns remove tags before `set` adds tags. */
  readonly tags?: { readonly set?: readonly string[]; readonly drop?: readonly string[] };
  /** Applied one after another to texts such as addresses, markdown and messages. */
  readonly replace?: readonly ReplaceRule[];
  readonly leaveOut?: Readonly<Record<KindName, readonly string[]>>;
}
