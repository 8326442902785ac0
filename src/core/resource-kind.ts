import type { z } from "zod";
import type { JsonObject, JsonValue } from "./json.ts";
import type { MemberPath } from "./member-path.ts";
import type { KindName, Variant } from "./record.ts";

/** The operations of the contract (section 1, table of operations). */
export type Operation = "list" | "get" | "create" | "update" | "delete";

/**
 * One route. `path` is filled in by the client: `{stack}` is the address of the stack's resources and `{service}` that of
 * the managed service (contract 4.1), `{pipes}` the deployment's word for pipes, `{id}` the record's id, encoded.
 */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  /** Newer deployments have it and others do not: a refusal means "not offered", not a failure. */
  readonly optional?: boolean;
}

/**
 * How records are read: `whole` list in one answer, `paged` by limit and offset up to the server's own total, or only
 * one by one `by-id`, the ids coming from the user (contract 4.2: pipes have no list).
 */
export type Listing = "whole" | "paged" | "by-id";

/**
 * A set of ids that a reference can point into: a kind's name, `dashboards/tiles` for the tiles inside dashboards, or one
 * that is not a kind of ours (`connections`, `savedSearches`).
 */
export type IdSpace = string;

/** A place in a record that holds the id of something else. */
export interface ReferencePath {
  readonly path: MemberPath;
  readonly to: IdSpace;
  /** The server refuses a write with an id that it does not know (field notes, "References checked on write"). */
  readonly checked: boolean;
  /** The path counts only where another member of the same item has this value. */
  readonly when?: { readonly path: MemberPath; readonly is: string };
  /** For ids of children: the path of the id of the record that they live in, as tile ids are only unique there. */
  readonly within?: MemberPath;
  /** What to leave out of a create so that a cycle can be closed by an update afterwards. */
  readonly leaveOut?: MemberPath;
}

/** The parts of a record that have ids of their own, minted by the server on create (field notes, Dashboards). */
export interface ChildIds {
  /** The member that holds the array of parts, for instance `tiles`. */
  readonly member: string;
  readonly space: IdSpace;
  /** What tells two parts of a record apart, strongest first; the last one is the weakest that still counts. */
  readonly identity: readonly ((part: JsonObject) => string)[];
  /** Whether an update must name an id for a part that is new (field notes: filters must, tiles get one). */
  readonly idOnUpdate: "required" | "minted";
}

/** Where a connection-like id, which no list offers, can be learned from records that were matched. */
export interface InferredIds {
  readonly path: MemberPath;
  readonly space: IdSpace;
}

/** A declared secret: replaced whole, or for an address, cut down to its origin. */
export interface SecretPath {
  readonly path: MemberPath;
  readonly rule: string;
  readonly keep: "nothing" | "origin";
}

/** What the engine needs to know of a resource kind. It is data: nothing else in the program asks which kind it has. */
export interface ResourceKind {
  readonly name: KindName;
  readonly singular: string;
  readonly listing: Listing;
  readonly routes: Readonly<Record<Variant, Readonly<Partial<Record<Operation, Route>>>>>;
  /** Says whether a body is of this kind. Loose: unknown members survive. */
  readonly schema: z.ZodType;
  /** For people. */
  readonly nameOf: (body: JsonObject) => string;
  /** Keys that recognise the same thing on another stack once its references are mapped, strongest first. */
  readonly naturalKeys: readonly ((body: JsonObject) => string | undefined)[];
  readonly references: readonly ReferencePath[];
  readonly children: readonly ChildIds[];
  readonly inferred: readonly InferredIds[];
  readonly secrets: readonly SecretPath[];
  /** Members that belong to the server: taken out before a write, and of no account when records are compared. */
  readonly serverOwned: readonly MemberPath[];
  /** Taken out of a create on top of `serverOwned`. */
  readonly refusedOnCreate: readonly MemberPath[];
  /** A member with this value is refused, and leaving it out means the same. */
  readonly leaveOutWhen: readonly { readonly path: MemberPath; readonly is: JsonValue }[];
  /** What an update must send for a member that the record does not have, else the server keeps the old one. */
  readonly clearOnUpdate: Readonly<Record<string, JsonValue>>;
  /** The server's own form, with what it would add taken out, for comparing what was sent with what is stored. */
  readonly comparable: (body: JsonObject) => JsonObject;
  /** The members that `--name-prefix` and `--tag` change. */
  readonly labels: { readonly name?: string; readonly tags?: string };
  /** Why a record of this kind is never written to another stack; undefined for the kinds that are. */
  readonly notReplayed?: string;
}
