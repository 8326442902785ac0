import type { JsonObject } from "../json.ts";

/** The two variants of the API (docs/api.md#routes). */
export type Variant = "managed" | "self-hosted";

/** The name of a resource kind, in the plural: also its folder in an archive and its name on the command line. */
export type KindName = string;

/** A record as its stack sent it. It contains its secrets until it is redacted. */
export interface StackRecord {
  readonly kind: KindName;
  readonly id: string;
  /** The record's name for people. It may be empty and need not be unique (docs/api.md#dashboards). */
  readonly name: string;
  /** People call a record without a name by this: an alert by the tile or search it watches. Absent if that is not known. */
  readonly displayName?: string;
  readonly body: JsonObject;
}

/** A record without its body. */
export type NamedRecord = Pick<StackRecord, "kind" | "id" | "name" | "displayName">;

/** Returns what people call a record: its name, or its display name; its id only if it has neither. */
export function labelOf({ id, name, displayName = "" }: Omit<NamedRecord, "kind">): string {
  return name.trim() === "" ? displayName || id : name;
}

/** Returns what people call a child of a record: its name, or its number. */
export function labelOfChild(noun: string, name: string, position: number): string {
  return name.trim() === "" ? `${noun} ${position + 1}` : name;
}

export interface StackIdentity {
  readonly variant: Variant;
  readonly baseUrl: string;
  readonly organizationId?: string;
  readonly serviceId?: string;
}

/** Identifies a record inside one archive or one stack. */
export type RecordKey = `${KindName}/${string}`;

export function recordKey(kind: KindName, id: string): RecordKey {
  return `${kind}/${id}`;
}

export function keyOfRecord({ kind, id }: Pick<StackRecord, "kind" | "id">): RecordKey {
  return recordKey(kind, id);
}

/** Splits the key of a record into kind and id, or the key of a child into its owner's id and its own id. */
export function splitKey(key: string): [first: string, rest: string] {
  const slash = key.indexOf("/");
  return [key.slice(0, slash), key.slice(slash + 1)];
}

/** Builds the key of the target's record. Without an id, the key belongs to no record. */
export function targetKey({ kind, targetId = "" }: { readonly kind: KindName; readonly targetId?: string }): RecordKey {
  return recordKey(kind, targetId);
}

/**
 * An id that stands alone: 24 hex digits or a uuid (docs/api.md#identity). The web UI may give a tile an id like `tbl`: such ids
 * are followed only in declared references, never searched for in text.
 */
export const ID_PATTERN =
  /(?<![\w-])[\da-f]{8}(?:[\da-f]{16}|-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})(?![\w-])/giu;

/**
 * Tells whether two identities mean one stack. Ids identify a managed service, whatever its address; an address identifies any
 * other stack. Only within one stack do equal ids prove the same record: ids of two stacks can be equal by copy, by chance or on
 * purpose.
 */
export function isSameStack(left: StackIdentity, right: StackIdentity): boolean {
  if (left.variant !== right.variant) return false;
  if (left.organizationId === undefined) return left.baseUrl === right.baseUrl && right.organizationId === undefined;
  return left.organizationId === right.organizationId && left.serviceId === right.serviceId;
}
