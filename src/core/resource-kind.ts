import type { OutcomeCode } from "./codes.ts";
import type { z } from "zod";
import type { JsonObject, JsonValue } from "./json.ts";
import type { MemberPath } from "./records/member-path.ts";
import type { KindName, StackRecord, Variant } from "./records/record.ts";

export type FindRecord = (kind: KindName, id: string) => StackRecord | undefined;

/** The operations of the API (docs/api.md#routes). */
export type Operation = "list" | "get" | "create" | "update" | "delete" | "validate";

/** Returns the target's counterpart of a child; undefined for a new child. */
export type FindChild = (child: JsonObject) => JsonObject | undefined;

/**
 * One route of the API. The client fills in the placeholders of `path`: `{stack}` is the address of the stack's
 * resources, `{service}` that of the managed service, `{pipes}` the deployment's word for pipes, `{id}` the encoded id
 * of the record (docs/api.md#routes).
 */
export interface ApiRoute {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  /** True if only newer deployments have the route. A 404 then means that the deployment does not offer the route. */
  readonly optional?: boolean;
}

/** How a kind is listed. `whole`: in one answer. `paged`: in pages by limit and offset, up to the total that the server states. */
export type Listing = "whole" | "paged";

/** An id identifies a record of a kind, a tile (`dashboards/tiles`) or a filter (`dashboards/filters`). */
export type IdSpace = string;

/** A condition on another member of the same item: the member has the value `is`, or does not have the value `not`. */
export type PathCondition =
  | { readonly path: MemberPath; readonly is: string }
  | { readonly path: MemberPath; readonly not: string };

/** A place in a record that contains the id of another record or of a child. */
export interface ReferencePath {
  readonly path: MemberPath;
  readonly to: IdSpace;
  /** True if the server refuses a write with an unknown id in this place. */
  readonly serverValidated: boolean;
  /** The place counts as a reference only where this condition holds. */
  readonly when?: PathCondition;
  /** For the id of a child: the path to the id of its owner, because a child's id is unique only within its owner. */
  readonly within?: MemberPath;
  /** The member that a create can leave out and a later update can add, so that two records can reference each other. */
  readonly deferPath?: MemberPath;
  /**
   * True if the record is valid without the reference. If the id has no counterpart, a write leaves out the reference,
   * with a warning.
   */
  readonly optional?: true;
}

/** Children of a record: list items with ids of their own, which the server generates on create (docs/api.md#dashboards). */
export interface ChildIds {
  /** The member with the array of children, such as `tiles`. */
  readonly member: string;
  readonly space: IdSpace;
  /** Keys by which the children of two records are paired, strictest first. Children without an equal key are not paired. */
  readonly identity: readonly ((child: JsonObject) => string)[];
  readonly nameOf: (child: JsonObject) => string;
  /** `required`: an update must send an id for a new child. `minted`: the server generates the id (docs/api.md#dashboards). */
  readonly idOnUpdate: "required" | "minted";
  /** Tells whether any update with this child makes the server delete records that reference the child (docs/api.md#tile-alerts). */
  readonly losesDependents?: (child: JsonObject) => boolean;
  /** Tells whether two children of one record overlap on the page. */
  readonly overlap?: (one: JsonObject, other: JsonObject) => boolean;
  /** Returns the child without links to parts that `owner` lacks, such as a container. */
  readonly fitInto?: (child: JsonObject, owner: JsonObject) => JsonObject;
  /** By variant: tells whether an answer shows this child in place of a child that the API cannot show (docs/api.md#hidden-tiles). */
  readonly isSubstitute?: Readonly<Partial<Record<Variant, (child: JsonObject) => boolean>>>;
  /**
   * By variant: tells whether the child may have settings that no answer shows and every update deletes
   * (docs/api.md#hidden-settings).
   */
  readonly mayHideSettings?: Readonly<Partial<Record<Variant, (child: JsonObject) => boolean>>>;
  /**
   * By variant: the children that other records may reference, and a description of these children for people. Absent
   * if all children may be referenced.
   */
  readonly pointedTo?: Readonly<
    Partial<Record<Variant, { readonly accepts: (child: JsonObject) => boolean; readonly only: string }>>
  >;
}

/** A path to ids that may be in no list. If two records match, the ids at this path match, too. */
export interface LearnedIdPath {
  readonly path: MemberPath;
  readonly space: IdSpace;
}

/** A declared secret. `keep` is what redaction leaves: nothing, or the origin of an address. */
export interface SecretPath {
  readonly path: MemberPath;
  readonly rule: string;
  readonly keep: "nothing" | "origin";
  /** Values that are not secret, such as the names of authentication methods. */
  readonly except?: readonly string[];
}

/**
 * A write-only member: the server accepts a value and never returns it. No answer tells whether the member is set
 * (docs/api.md#connections).
 */
export interface WriteOnlyField {
  readonly path: MemberPath;
  readonly rule: string;
  /** True if the value is an object of texts by name (headers) instead of one text. */
  readonly named?: true;
  /** Tells whether a record with this body can have the member. Absent if every record can. */
  readonly when?: (body: JsonObject) => boolean;
}

/**
 * A member with values that answers contain and a write refuses (docs/api.md#limits). `--fit-limits` replaces these
 * values, except in a `fixed` member, where a part of the value would mean something else than the whole.
 */
export interface ValueLimit {
  readonly path: MemberPath;
  readonly fixed?: true;
  /**
   * Returns the replacement of a refused value, and a description of the change for people. Without `value`, the member
   * or item is left out. Undefined for an accepted value.
   */
  readonly fit: (
    value: JsonValue,
    body: JsonObject,
    /** Unix milliseconds. NaN skips the checks that depend on the time. */
    now: number,
  ) => { readonly value?: JsonValue; readonly change: string } | undefined;
}

/** The form of a record in a code file, which people edit (docs/dashboards-as-code.md). */
export interface CodeForm {
  /** The members of the file. References are names instead of ids. The file may also have other members. */
  readonly shape: z.ZodRawShape;
  /** Lists of member names. A file whose top-level members include all names of one list is of this kind. */
  readonly toldBy: readonly (readonly string[])[];
  /** Member names in the order in which people read them, for all levels. All other members follow, sorted by name. */
  readonly order: readonly string[];
  /** By path: the value that a file leaves out because the server adds it. */
  readonly defaults: Readonly<Record<MemberPath, JsonValue>>;
  /** Members that distinguish records with the same name. */
  readonly namedBy?: readonly string[];
  /** An array whose order means nothing to the server, and the members by which a file sorts the items. */
  readonly sorted?: { readonly member: string; readonly by: readonly string[] };
  /** Lists that a file shows even if they are empty. */
  readonly required?: readonly string[];
  /** Removes redundant members for a file. */
  readonly simplify?: (body: JsonObject) => JsonObject;
  /**
   * Restores the members that `simplify` removed and adds those that a write needs.
   * @param targetBody the target's record, if there is one
   */
  readonly complete?: (body: JsonObject, targetBody: JsonObject | undefined) => JsonObject;
}

/** Returns the name of a record of the archive; the id if the record or its name is unknown. */
export type FindRecordName = (space: IdSpace, id: string) => string;

export interface TargetAnswers {
  readonly variant: Variant;
  /** Tells whether any record of this kind on the stack has the member. */
  readonly shows: (member: string) => boolean;
}

export interface Refusal {
  readonly code: OutcomeCode;
  readonly message: string;
}

/** A value that a write adds for a member that the answer lacked. */
export interface Assumption {
  /** JSON pointer into the record. */
  readonly pointer: string;
  /** The value as people read it: `"lucene"`. */
  readonly value: string;
}

/**
 * When an import writes records of a kind. `always`: it creates and updates them. `on-request`: it creates them if
 * `--create` names the kind, and later adds only missing links; the deployment must offer the list of the kind
 * `servedWith`. `never`: the kind is not imported. `why` tells people why a record was not written.
 */
export type ImportPolicy =
  | { readonly when: "always" }
  | { readonly when: "on-request"; readonly servedWith: KindName; readonly why: string }
  | { readonly when: "never"; readonly why: string };

/** The description of a resource kind: its routes, references, secrets, limits and other rules. */
export interface ResourceKind {
  readonly name: KindName;
  readonly singular: string;
  readonly listing: Listing;
  readonly routes: Readonly<Record<Variant, Readonly<Partial<Record<Operation, ApiRoute>>>>>;
  /** Checks that a body is of this kind. Accepts unknown members. */
  readonly schema: z.ZodType;
  readonly nameOf: (body: JsonObject) => string;
  /** Derives a display name for an unnamed record from the records that it references; empty if `find` finds none of these. */
  readonly displayName?: (body: JsonObject, find: FindRecord) => string;
  /**
   * Keys by which a record's counterpart on another stack is found, strictest first. The body's references are already translated.
   */
  readonly naturalKeys: readonly ((body: JsonObject) => string | undefined)[];
  /**
   * Returns the place of the record's data (host, or database and tables), if the record shows it. Records with data in
   * different places do not match by their natural keys.
   */
  readonly dataPlaceOf?: (body: JsonObject) => string | undefined;
  /** Returns the record's type within its kind, such as `log` of a source. */
  readonly typeOf?: (body: JsonObject) => string;
  readonly references: readonly ReferencePath[];
  /** Kinds of owners. The server deletes a record of this kind together with its owner. */
  readonly livesOn?: readonly KindName[];
  readonly children: readonly ChildIds[];
  /** Groups of members that have a meaning only together. A merge takes all members of a group from one side. */
  readonly mergedAsOne?: readonly (readonly string[])[];
  readonly idsLearnedFrom: readonly LearnedIdPath[];
  readonly secrets: readonly SecretPath[];
  /** Members that only the server sets: left out of a write, and ignored when records are compared. */
  readonly serverOwned: readonly MemberPath[];
  /** Members that a write leaves out if they have this value: the server refuses the value, and an absent member means the same. */
  readonly leaveOutWhen: readonly { readonly path: MemberPath; readonly is: JsonValue }[];
  /** Values that a write refuses although answers contain them. The limits of a list come after the limits of its items. */
  readonly limits: readonly ValueLimit[];
  /** Names of members that a write must not drop, in addition to the names for every kind: conditions, channels, expressions. */
  readonly vitalMembers?: readonly string[];
  /**
   * By member: the value that clears the member in an update. If the update left out the member, the server would keep the old value.
   */
  readonly clearOnUpdate: Readonly<Record<string, JsonValue>>;
  /** Tells whether the record suggests that other records have children that the API never returns (docs/api.md#hidden-tiles). */
  readonly hintsAtHidden?: (body: JsonObject) => boolean;
  /** By member with a list: the key that must be unique in the list. Of items with the same key, only the first is written. */
  readonly distinctItems?: Readonly<Record<string, (item: JsonObject) => string>>;
  /**
   * Members that no update removes: the server keeps them if the update leaves them out, and refuses a value that would clear them.
   */
  readonly keptOnUpdate?: readonly string[];
  /** Members that the server removes if an update leaves them out. */
  readonly lostOnUpdate?: readonly string[];
  /** Returns the body in the form in which sent and stored bodies are compared: without members and values that the server adds. */
  readonly comparable: (body: JsonObject) => JsonObject;
  /** The members with the record's name and tags, which `--name-prefix` and `transforms` change. */
  readonly nameFields: { readonly name?: string; readonly tags?: string };
  /** The members that `transforms.replace` changes: addresses, markdown and messages. */
  readonly texts?: readonly MemberPath[];
  /** Texts that link to another record by its name instead of its id. A rename of the other record breaks the link. */
  readonly linksByName?: readonly Pick<ReferencePath, "path" | "to" | "when">[];
  readonly code: CodeForm;
  /**
   * The member of a chart query that names a record of this kind. Absent if no chart query can tell whether such a
   * record has data (docs/api.md#series).
   */
  readonly queriedAs?: { readonly member: string; readonly needsMetric: (body: JsonObject) => boolean };
  readonly writeOnly: readonly WriteOnlyField[];
  /** Top-level members that lists leave out of some records on newer deployments (docs/api.md#lists). */
  readonly listOmits?: readonly { readonly path: string; readonly when: (body: JsonObject) => boolean }[];
  /** Returns why this program may not know all members of the record; undefined for a known form. */
  readonly unknownForm?: (body: JsonObject) => string | undefined;
  /** For people: content of records that no answer shows (docs/api.md#hidden-tiles). */
  readonly notHeld?: readonly string[];
  /** Tells whether the record is silenced. No write can restore this state. */
  readonly isSilenced?: (body: JsonObject) => boolean;
  readonly importPolicy: ImportPolicy;
  /** Returns an equivalent body in the form that the target takes; undefined if the body already has this form. */
  readonly formFor?: (body: JsonObject, target: TargetAnswers) => JsonObject | undefined;
  /**
   * For a body that some releases store only in part, without an error: `isWhole` tells from the answer whether the
   * whole body was stored. If not, `refusal` is the reason to write no other record of this form.
   */
  readonly heldInPart?: (
    body: JsonObject,
  ) => { readonly refusal: Refusal; readonly isWhole: (answer: JsonObject) => boolean } | undefined;
  /** Returns the reason why the target would refuse the body or drop an important part of it; undefined if there is none. */
  readonly rejectReason?: (body: JsonObject, target: TargetAnswers, nameOf: FindRecordName) => Refusal | undefined;
  /**
   * By variant: returns a refusal if the stack would refuse this record because of a record that it references.
   * @param before finds the target's counterpart of a child; an unchanged child is accepted
   */
  readonly refusedForReferences?: Readonly<
    Partial<Record<Variant, (body: JsonObject, find: FindRecord, before?: FindChild) => Refusal | undefined>>
  >;
  /** Adds the members that a write requires and answers sometimes omit. */
  readonly normalize?: (body: JsonObject) => JsonObject;
  /** Returns the values of `normalize` that are reported to the user, because they are guesses. */
  readonly assumed?: (body: JsonObject) => readonly Assumption[];
}
