import type { JsonObject } from "../json.ts";

/** The variants of the API (docs/api.md#routes). */
export type Variant = "managed" | "self-hosted";

/** The kind in the plural, as in `--kinds` and in the folders of an archive. */
export type KindName = string;

/** A record of a stack. The body may contain secrets until redaction. */
export interface StackRecord {
  readonly kind: KindName;
  readonly id: string;
  /** May be empty, and need not be unique (docs/api.md#dashboards). */
  readonly name: string;
  readonly displayName?: string;
  readonly body: JsonObject;
}

export type NamedRecord = Pick<StackRecord, "kind" | "id" | "name" | "displayName">;

export function labelOf({ id, name, displayName = "" }: Omit<NamedRecord, "kind">): string {
  return name.trim() === "" ? displayName || id : name;
}

export function labelOfChild(noun: string, name: string, position: number): string {
  return name.trim() === "" ? `${noun} ${position + 1}` : name;
}

export interface StackIdentity {
  readonly variant: Variant;
  readonly baseUrl: string;
  readonly organizationId?: string;
  readonly serviceId?: string;
  /** The team of a self-hosted server; absent if no configured header chooses a team. */
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

/** Splits kind and id, or the owner's id and the child's id. */
export function splitKey(key: string): [first: string, rest: string] {
  const slash = key.indexOf("/");
  return [key.slice(0, slash), key.slice(slash + 1)];
}

export function targetKey({ kind, targetId = "" }: { readonly kind: KindName; readonly targetId?: string }): RecordKey {
  return recordKey(kind, targetId);
}

/** 24 hex digits or a UUID (docs/api.md#identity). Texts are not searched for tile ids of another form. */
export const ID_PATTERN =
  /(?<![\w-])[\da-f]{8}(?:[\da-f]{16}|-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})(?![\w-])/giu;

/** The ids of organization and service identify a managed stack; address and team identify a self-hosted stack. */
export function isSameStack(left: StackIdentity, right: StackIdentity): boolean {
  if (left.variant !== right.variant) return false;
  if (left.organizationId === undefined) {
    return left.baseUrl === right.baseUrl && left.team === right.team && right.organizationId === undefined;
  }
  return left.organizationId === right.organizationId && left.serviceId === right.serviceId;
}
