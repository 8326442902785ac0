import type { JsonObject } from "../json.ts";

/** The two variants of the API (docs/api.md#routes). */
export type Variant = "managed" | "self-hosted";

/** The name of a resource kind, in the plural: also its folder in an archive and its name on the command line. */
export type KindName = string;

/** A record of a stack. The body contains the record's secrets until it is redacted. */
export interface StackRecord {
  readonly kind: KindName;
  readonly id: string;
  /** The record's name for people. May be empty, and need not be unique (docs/api.md#dashboards). */
  readonly name: string;
  /** A label for a record without a name, such as the tile or saved search that an alert watches. Absent if unknown. */
  readonly displayName?: string;
  readonly body: JsonObject;
}

export type NamedRecord = Pick<StackRecord, "kind" | "id" | "name" | "displayName">;

/** Returns a label for people: the record's name, else its display name, else its id. */
export function labelOf({ id, name, displayName = "" }: Omit<NamedRecord, "kind">): string {
  return name.trim() === "" ? displayName || id : name;
}

/** Returns a label for people: the child's name, or noun and number, such as `tile 2`. */
export function labelOfChild(noun: string, name: string, position: number): string {
  return name.trim() === "" ? `${noun} ${position + 1}` : name;
}

export interface StackIdentity {
  readonly variant: Variant;
  readonly baseUrl: string;
  readonly organizationId?: string;
  readonly serviceId?: string;
  /** The team on a self-hosted server, from a header of the stack's configuration. Absent if no header chooses a team. */
  readonly team?: string;
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

/** Builds the key of the target's record. Without `targetId`, no record has this key. */
export function targetKey({ kind, targetId = "" }: { readonly kind: KindName; readonly targetId?: string }): RecordKey {
  return recordKey(kind, targetId);
}

/**
 * Matches an id in a text: 24 hex digits or a UUID (docs/api.md#identity). Ids in other forms, which the web interface
 * gives to some tiles, are never searched for in text.
 */
export const ID_PATTERN =
  /(?<![\w-])[\da-f]{8}(?:[\da-f]{16}|-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})(?![\w-])/giu;

/**
 * Tells whether two identities are of the same stack. A managed service is identified by its ids, any other stack by
 * its address and team. Equal record ids prove the same record only within one stack.
 */
export function isSameStack(left: StackIdentity, right: StackIdentity): boolean {
  if (left.variant !== right.variant) return false;
  if (left.organizationId === undefined) {
    return left.baseUrl === right.baseUrl && left.team === right.team && right.organizationId === undefined;
  }
  return left.organizationId === right.organizationId && left.serviceId === right.serviceId;
}
