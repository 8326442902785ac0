import type { JsonObject } from "../json.ts";
import type { Code } from "../codes.ts";
import { definedMembers } from "../collections.ts";
import type { MemberChange } from "../diff.ts";
import type { OutcomeAction, Outcome, Warning } from "../outcome.ts";
import { StackferryError } from "../errors.ts";
import { recordKey, type KindName, type RecordKey, type StackRecord } from "../records/record.ts";
import type { ChildIds, IdSpace } from "../resource-kind.ts";
import type { IdMapping, IdsToCome } from "./id-map.ts";
import type { Settled } from "./journal.ts";

/** The treatment of a record whose counterpart was, or may have been, changed on the target (`--on-conflict`). */
export type ConflictPolicy = "keep" | "merge" | "overwrite" | "fail";

/** The parts that each side has changed since the last import, for people: `tags`, `tile "Errors"`. */
export interface ChangesSinceImport {
  readonly source: readonly string[];
  readonly target: readonly string[];
}

/** A member that the import changes before the write, because of a transform or because the API refuses the archived value. */
export interface AlteredMember {
  /** JSON pointer into the record. */
  readonly pointer: string;
  /** For people: `24 instead of 30`. Contains no text of the record except its name and tags. */
  readonly change: string;
}

/** The planned action for one record of the archive, with the reason or a remark in `code` and `message`. */
export interface PlanItem extends Omit<Outcome, "action" | "status"> {
  readonly action: Exclude<OutcomeAction, "delete" | "export">;
  /** If another blocked record is the reason why this record is blocked: the other record. */
  readonly blockedBy?: RecordKey;
  readonly dependsOn: readonly RecordKey[];
  /** Records that this record links to and that in turn need this record. A second write adds these links. */
  readonly linksTo: readonly RecordKey[];
  /** JSON pointers of members that the write leaves out, because they reference a record that the target does not have. */
  readonly leftOut?: readonly string[];
  /** The changes that the target's transforms make in the record. */
  readonly transformed?: readonly AlteredMember[];
  /** The changes that `--fit-limits` makes in the record. */
  readonly fitted?: readonly AlteredMember[];
  /** The target's record at plan time, if an update replaces the record or if the record differs and stays as it is. */
  readonly replaces?: StackRecord;
  /** Each side's changes since the last import; absent if nobody edited the target's record. */
  readonly since?: ChangesSinceImport;
  /** For an update: the target's records that reference children of the record. The server may delete these records with a child. */
  readonly dependents?: readonly StackRecord[];
  /** Content that the API may hide and that the update would delete or the archive lacks (docs/api.md#hidden-tiles). */
  readonly mayHide?: MayHide;
  /** If the update takes only some parts of the record: these parts. */
  readonly parts?: TakenParts;
  /** The parts that differ and stay as they are on the target. */
  readonly kept?: readonly KeptPart[];
  /** Whether a merge would take some parts of a record that stays as it is. */
  readonly isMergeable?: boolean;
  /** The parts that the comparison with the counterpart has settled, as far as the journal does not know them yet. */
  readonly seen?: Settled;
  /** Records of the target that must be deleted first: they reference children that the update removes. */
  readonly afterRemovals?: readonly RecordKey[];
  /** For an update or a conflict: the changes of members, if they were computed. Secrets are redacted on both sides. */
  readonly changes?: readonly MemberChange[];
}

/** A record of the archive with the target's ids. Stand-ins take the place of ids that the run will create. */
export interface PlannedBody {
  /** The whole body. The children have the ids of the archive. */
  readonly desired: JsonObject;
  /** The members that a first write can leave out. */
  readonly links: readonly PlannedLink[];
}

/** A member with a link that a second write can add. */
export interface PlannedLink {
  /** The place of the id, as a JSON pointer. */
  readonly pointer: string;
  /** The member that is left out with the link, as pointer tokens. */
  readonly tokens: readonly string[];
  readonly to: RecordKey | undefined;
}

/** Content that may exist although no answer of the API shows it. */
export interface MayHide {
  /** Names of the target's children that may have hidden settings, which an update would delete. */
  readonly settings: readonly string[];
  /** Names of the archive's children that may have had hidden settings, which the archive lacks. */
  readonly notHeld: readonly string[];
  /** The name of a target record that suggests hidden children, which an update would delete: `the connection "Prometheus"`. */
  readonly hint?: string;
}

/** A part that stays as it is on the target: its key (`tags`, `tiles/65a…`), and its label for people. */
export interface KeptPart {
  readonly key: string;
  readonly label: string;
}

/** An archive id, its counterpart on the target, and the rule that matched them. */
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
  /** `dead`: the archive has no record with this id either. */
  readonly reason: "missing" | "ambiguous" | "dead";
  readonly candidates: readonly {
    readonly id: string;
    readonly name: string;
  }[];
  /**
   * True if the target has no list of this kind. The candidates are then only the ids that the target's records use, so
   * the right id may be missing.
   */
  readonly unlisted?: true;
  /** The number of records that the unmatched id blocks. */
  readonly neededBy: number;
}

/** A redacted secret that a record needs: an entry of the drafted secrets file. */
export interface MissingSecret {
  readonly key: RecordKey;
  readonly name: string;
  readonly pointer: string;
  /** The redaction rules of the placeholders, in the order in which the placeholders stand in the text. */
  readonly rules: readonly string[];
  /** Digest of the text around the secret. A value in the secrets file counts only for the context that it names. */
  readonly context: string;
  /** The text around each placeholder, hosts first. For a write-only member, the address that gets the value. Contains no secret. */
  readonly around: readonly string[];
  /** True for a write-only member, which no stack returns. The secrets file may answer that there was none. */
  readonly writeOnly?: true;
  /** True if the write-only member holds texts by name (headers), not one text. */
  readonly named?: true;
}

/** All actions of an import. Making a plan writes nothing. */
export interface Plan {
  readonly items: readonly PlanItem[];
  readonly matches: readonly Match[];
  readonly unresolved: readonly UnresolvedId[];
  /** Secrets of the records that are blocked as `redacted`. A secrets file can supply them. */
  readonly missingSecrets: readonly MissingSecret[];
  /** Ids that are mapped before anything is written: the matches, and the children of matched records. */
  readonly ids: readonly IdMapping[];
  /**
   * The bodies of the records that the run writes, and of kept records whose changes are shown. They contain secrets of
   * the secrets file, so the results of the library have no bodies.
   */
  readonly bodies: ReadonlyMap<RecordKey, PlannedBody>;
  /** By stand-in in the bodies: the source id whose counterpart the run will create. */
  readonly idsToCome: IdsToCome;
  readonly warnings: readonly Warning[];
  /** The records that `--mirror` may delete, and the limit on their number. Absent without `--mirror`. */
  readonly mirror?: PlannedMirror;
  /**
   * The digest of the writes, by which a plan is approved: 64 hexadecimal digits. Present in a dry run and in a run of
   * an approved plan. A run that continues an approved plan has the digest of the whole plan.
   */
  readonly digest?: string;
}

const DIGEST_LENGTH = 64;
/** Number of digits that a dry run prints, and the minimum that identifies a plan. */
const SHORT_LENGTH = 16;

const DIGEST_PATTERN = new RegExp(`^[0-9a-f]{${SHORT_LENGTH},${DIGEST_LENGTH}}$`, "i");

export function shortDigest(digest: string): string {
  return digest.slice(0, SHORT_LENGTH);
}

/**
 * Returns the given digits of an approved plan in lower case.
 * @throws StackferryError `usage` for anything else, or in a dry run
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

/** The left side of the map file's line for every webhook that nothing else matches. */
export const EVERY_OTHER = "*";

/** The map file: by id space, the target's id or name for each id or name of the source. */
export type ManualMapping = Readonly<Record<IdSpace, Readonly<Record<string, string>>>>;

/**
 * Maximum number of candidates that are named for an unmatched id. A plan can have thousands of candidates for each of
 * thousands of ids.
 */
export const MAX_CANDIDATES_NAMED = 50;

export function limitCandidates({ candidates }: UnresolvedId): {
  readonly some: UnresolvedId["candidates"];
  readonly more: number;
} {
  return {
    some: candidates.slice(0, MAX_CANDIDATES_NAMED),
    more: Math.max(0, candidates.length - MAX_CANDIDATES_NAMED),
  };
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

/** A record of the target that the source lacks, and the action that `--mirror` plans for the record. */
export interface Removal {
  readonly kind: KindName;
  /** The record's id at the source; the target's id if the journal does not know the record. */
  readonly sourceId: string;
  readonly name: string;
  readonly displayName?: string;
  readonly targetId: string;
  /** `unchanged`: the target no longer has the record. */
  readonly action: "delete" | "skip" | "blocked" | "unchanged";
  readonly code?: Code;
  readonly message?: string;
  /** The target's record at plan time. A record that has changed since then is not deleted. */
  readonly targetRecord?: StackRecord;
}

export interface PlannedMirror {
  readonly removals: readonly Removal[];
  /** The number of records that may be deleted (`--max-delete`); undefined if there is no limit. */
  readonly allowed: number | undefined;
  /** The number of records that a percentage in `--max-delete` refers to. */
  readonly of: number;
}

/** A record whose code file is not used: the record is neither written, compared nor deleted. */
export interface LeftOutRecord {
  readonly kind: KindName;
  /** The record's id; the file's path if the file cannot be read. */
  readonly id: string;
  readonly name: string;
  /** `bad-file`: the record's own file has a mistake. `dependency-blocked`: the record refers to a left-out record. */
  readonly code: "bad-file" | "dependency-blocked";
  /** The mistakes, each with file, line and column. */
  readonly message: string;
  /** The id of the target's record with the same name; absent if there is none. */
  readonly targetId?: string;
}

export function plannedOutcomes(plan: Plan): Outcome[] {
  return [...plan.items, ...(plan.mirror?.removals ?? [])].map(plannedOutcome);
}

/** Returns the outcome of an item or removal that the run did not carry out: in a dry run, or because the run ended early. */
export function plannedOutcome(planned: Omit<Outcome, "status">): Outcome {
  const { kind, name, displayName, sourceId, action, targetId, targetName, code, message } = planned;
  const about = { kind, name, sourceId, displayName, targetId, targetName };
  return definedMembers({ ...about, action, status: "planned", code, message });
}

/** The only child that is imported (`--tile`), and the record that holds the child. */
export interface ChosenChild {
  readonly owner: RecordKey;
  readonly children: ChildIds;
  /** The child's position in the archive's record. */
  readonly position: number;
  readonly id: string;
  readonly name: string;
  /** The record that holds the child, and the records that live on the child, such as the alerts of a tile. */
  readonly keys: ReadonlySet<RecordKey>;
}

/** The parts of the archive's record that an update takes. The target's record keeps all its other parts. */
export interface TakenParts {
  /** The children to take, as positions in the archive's record; the key is the member that holds the children (`tiles`). */
  readonly taken: Readonly<Record<string, readonly number[]>>;
  /** The members to take. Members that hold children are not among them. */
  readonly members?: readonly string[];
  /** The children to remove, as positions in the target's record; the key is the member that holds the children. */
  readonly removed?: Readonly<Record<string, readonly number[]>>;
}

/** Renames by a pattern: the n-th `*` of `to` stands for the text that the n-th `*` of `from` matched. */
export interface RenameRule {
  /** The kind to which the rule applies; absent: every kind whose names may change. */
  readonly kind?: KindName;
  readonly from: string;
  readonly to: string;
}

/** A text (`from`) and its replacement (`to`). Neither is a pattern. */
export interface ReplaceRule {
  readonly from: string;
  readonly to: string;
}

/** A stack's `transforms:`, which change the records of code files and of other stacks before an import is planned. */
export interface Transforms {
  /** Renaming rules. The first rule that matches a name applies. */
  readonly rename?: readonly RenameRule[];
  /** Changes to the tags of dashboards. `drop`: patterns of tags to remove. `set`: tags to add afterwards. */
  readonly tags?: { readonly set?: readonly string[]; readonly drop?: readonly string[] };
  /** Replacements in addresses, markdown and messages, applied one after another. */
  readonly replace?: readonly ReplaceRule[];
  /** By kind: name patterns of records that are not written. */
  readonly leaveOut?: Readonly<Record<KindName, readonly string[]>>;
}
