import type { OutcomeCode } from "./codes.ts";
import type { z } from "zod";
import type { JsonObject, JsonValue } from "./json.ts";
import type { MemberPath } from "./records/member-path.ts";
import type { KindName, StackRecord, Variant } from "./records/record.ts";

export type FindRecord = (kind: KindName, id: string) => StackRecord | undefined;

export type Operation = "list" | "get" | "create" | "update" | "delete" | "validate";

export type FindChild = (child: JsonObject) => JsonObject | undefined;

/** The client fills in `{stack}`, `{service}`, `{pipes}` and the encoded `{id}` (docs/api.md#routes). */
export interface ApiRoute {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  /** True if older deployments lack the route. A 404 then means `not-offered`. */
  readonly optional?: boolean;
}

/** `paged`: by limit and offset, up to the total that the server states. */
export type Listing = "whole" | "paged";

/** A kind, or the children of a kind: `dashboards/tiles`. */
export type IdSpace = string;

export type PathCondition =
  | { readonly path: MemberPath; readonly is: string }
  | { readonly path: MemberPath; readonly not: string };

export interface ReferencePath {
  readonly path: MemberPath;
  readonly to: IdSpace;
  readonly serverValidated: boolean;
  readonly when?: PathCondition;
  /** Path to the owner's id, because a child's id is unique only within its owner. */
  readonly within?: MemberPath;
  readonly deferPath?: MemberPath;
  /** True if the record is valid without the reference. A write then leaves out an unmatched id, with a warning. */
  readonly optional?: true;
}

/** List items whose ids the server generates on create (docs/api.md#dashboards). */
export interface ChildIds {
  readonly member: string;
  readonly space: IdSpace;
  /** Keys that pair the children of two records, strictest first. */
  readonly identity: readonly ((child: JsonObject) => string)[];
  readonly nameOf: (child: JsonObject) => string;
  /** `required`: an update must send an id for a new child. `minted`: the server generates the id (docs/api.md#dashboards). */
  readonly idOnUpdate: "required" | "minted";
  /** True if any update with this child deletes records that reference the child (docs/api.md#tile-alerts). */
  readonly losesDependents?: (child: JsonObject) => boolean;
  readonly overlap?: (one: JsonObject, other: JsonObject) => boolean;
  readonly fitInto?: (child: JsonObject, owner: JsonObject) => JsonObject;
  /** True if an answer shows this child in place of a child that the API cannot show (docs/api.md#hidden-tiles). */
  readonly isSubstitute?: Readonly<Partial<Record<Variant, (child: JsonObject) => boolean>>>;
  /** True if every update may delete settings that no answer shows (docs/api.md#hidden-settings). */
  readonly mayHideSettings?: Readonly<Partial<Record<Variant, (child: JsonObject) => boolean>>>;
  /** The children that other records can reference; absent: all. `only` describes them for people. */
  readonly pointedTo?: Readonly<
    Partial<Record<Variant, { readonly accepts: (child: JsonObject) => boolean; readonly only: string }>>
  >;
}

export interface LearnedIdPath {
  readonly path: MemberPath;
  readonly space: IdSpace;
}

export interface SecretPath {
  readonly path: MemberPath;
  readonly rule: string;
  readonly keep: "nothing" | "origin";
  /** Values that are no secrets, such as names of authentication methods. */
  readonly except?: readonly string[];
}

/** The server accepts a value and never tells whether it is set (docs/api.md#connections). */
export interface WriteOnlyField {
  readonly path: MemberPath;
  readonly rule: string;
  readonly named?: true;
  readonly when?: (body: JsonObject) => boolean;
}

/** Values that answers contain and writes refuse (docs/api.md#limits). `--fit-limits` leaves `fixed` members as they are. */
export interface ValueLimit {
  readonly path: MemberPath;
  readonly fixed?: true;
  /** Undefined for an accepted value; without `value`, the member or item is left out. */
  readonly fit: (
    value: JsonValue,
    body: JsonObject,
    /** Unix milliseconds. NaN skips the checks that depend on the time. */
    now: number,
  ) => { readonly value?: JsonValue; readonly change: string } | undefined;
}

/** The form of a record in a code file (docs/dashboards-as-code.md). */
export interface CodeForm {
  readonly shape: z.ZodRawShape;
  readonly toldBy: readonly (readonly string[])[];
  /** The order of members at all levels; other members follow by name. */
  readonly order: readonly string[];
  /** Values that a file leaves out, because the server adds them. */
  readonly defaults: Readonly<Record<MemberPath, JsonValue>>;
  readonly namedBy?: readonly string[];
  /** An array whose order means nothing to the server, and the members that sort the array in a file. */
  readonly sorted?: { readonly member: string; readonly by: readonly string[] };
  readonly required?: readonly string[];
  readonly simplify?: (body: JsonObject) => JsonObject;
  readonly complete?: (body: JsonObject, targetBody: JsonObject | undefined) => JsonObject;
}

/** Returns the id if the record or its name is unknown. */
export type FindRecordName = (space: IdSpace, id: string) => string;

export interface TargetAnswers {
  readonly variant: Variant;
  readonly shows: (member: string) => boolean;
}

export interface Refusal {
  readonly code: OutcomeCode;
  readonly message: string;
}

export interface Assumption {
  readonly pointer: string;
  readonly value: string;
}

/** `on-request`: creates need `--create`, and a target that has the list of `servedWith`. */
export type ImportPolicy =
  | { readonly when: "always" }
  | { readonly when: "on-request"; readonly servedWith: KindName; readonly why: string }
  | { readonly when: "never"; readonly why: string };

export interface ResourceKind {
  readonly name: KindName;
  readonly singular: string;
  readonly listing: Listing;
  readonly routes: Readonly<Record<Variant, Readonly<Partial<Record<Operation, ApiRoute>>>>>;
  /** Accepts unknown members. */
  readonly schema: z.ZodType;
  readonly nameOf: (body: JsonObject) => string;
  /** For an unnamed record; empty if `find` finds no referenced record. */
  readonly displayName?: (body: JsonObject, find: FindRecord) => string;
  /** Keys that match records of two stacks, strictest first. The body's references are already translated. */
  readonly naturalKeys: readonly ((body: JsonObject) => string | undefined)[];
  /** Host, or database and tables. An import matches no records of different places by content or natural key. */
  readonly dataPlaceOf?: (body: JsonObject) => string | undefined;
  readonly typeOf?: (body: JsonObject) => string;
  readonly references: readonly ReferencePath[];
  /** Kinds of owners, with which the server deletes the record. */
  readonly livesOn?: readonly KindName[];
  readonly children: readonly ChildIds[];
  /** Members with a meaning only together. A merge takes a group from one side. */
  readonly mergedAsOne?: readonly (readonly string[])[];
  readonly idsLearnedFrom: readonly LearnedIdPath[];
  readonly secrets: readonly SecretPath[];
  /** Members that only the server sets. Writes and comparisons ignore them. */
  readonly serverOwned: readonly MemberPath[];
  /** The server refuses these values; an absent member means the same. */
  readonly leaveOutWhen: readonly { readonly path: MemberPath; readonly is: JsonValue }[];
  /** The limits of a list come after the limits of its items. */
  readonly limits: readonly ValueLimit[];
  readonly vitalMembers?: readonly string[];
  /** Values that an update sends to clear a member, because the server keeps some members that an update leaves out. */
  readonly clearOnUpdate: Readonly<Record<string, JsonValue>>;
  /** True if the record suggests hidden children of other records (docs/api.md#hidden-tiles). */
  readonly hintsAtHidden?: (body: JsonObject) => boolean;
  /** Keys that must be unique in a list. Of items with equal keys, only the first is written. */
  readonly distinctItems?: Readonly<Record<string, (item: JsonObject) => string>>;
  /** Members that no update removes: the server keeps omitted members and refuses a clearing value. */
  readonly keptOnUpdate?: readonly string[];
  readonly lostOnUpdate?: readonly string[];
  readonly comparable: (body: JsonObject) => JsonObject;
  readonly nameFields: { readonly name?: string; readonly tags?: string };
  readonly texts?: readonly MemberPath[];
  /** Texts that link to a record by its name. A rename breaks the link. */
  readonly linksByName?: readonly Pick<ReferencePath, "path" | "to" | "when">[];
  readonly code: CodeForm;
  /** The query member that names a record; absent if no query can tell whether a record has data (docs/api.md#series). */
  readonly queriedAs?: { readonly member: string; readonly needsMetric: (body: JsonObject) => boolean };
  readonly writeOnly: readonly WriteOnlyField[];
  /** Members that newer deployments leave out of some listed records (docs/api.md#lists). */
  readonly listOmits?: readonly { readonly path: string; readonly when: (body: JsonObject) => boolean }[];
  /** The reason why this program may not know all members; undefined for a known form. */
  readonly unknownForm?: (body: JsonObject) => string | undefined;
  /** Texts for people, each about content that no answer shows (docs/api.md#hidden-tiles). */
  readonly notHeld?: readonly string[];
  /** No write can restore this state. */
  readonly isSilenced?: (body: JsonObject) => boolean;
  readonly importPolicy: ImportPolicy;
  /** The equivalent form that the target takes; undefined if the body stays as it is. */
  readonly formFor?: (body: JsonObject, target: TargetAnswers) => JsonObject | undefined;
  /** Some releases store such a body only in part, without an error. `refusal` then stops the run's other records of this form. */
  readonly heldInPart?: (
    body: JsonObject,
  ) => { readonly refusal: Refusal; readonly isWhole: (answer: JsonObject) => boolean } | undefined;
  readonly rejectReason?: (body: JsonObject, target: TargetAnswers, nameOf: FindRecordName) => Refusal | undefined;
  readonly refusedForReferences?: Readonly<
    Partial<Record<Variant, (body: JsonObject, find: FindRecord, before?: FindChild) => Refusal | undefined>>
  >;
  /** Adds members that a write requires and answers sometimes omit. */
  readonly normalize?: (body: JsonObject) => JsonObject;
  /** The guesses of `normalize`, which are reported to the user. */
  readonly assumed?: (body: JsonObject) => readonly Assumption[];
}
