import type { JsonObject } from "../../core/json.ts";
import type { Place } from "../../core/records/member-path.ts";
import { valueAt, valueAtTokens } from "../../core/records/member-path.ts";
import type { PathCondition, ResourceKind, WriteOnlyField } from "../../core/resource-kind.ts";
import type { KindName, StackRecord } from "../../core/records/record.ts";
import { findKind, kinds } from "../registry.ts";

/** Tells whether a declared path's condition holds here: the same member can mean something else at another place. */
export function isDeclaredAt(
  { when }: { readonly when?: PathCondition },
  body: JsonObject,
  indices: readonly number[],
): boolean {
  if (when === undefined) return true;
  const deciding = valueAt(body, when.path, indices);
  return "is" in when ? deciding === when.is : deciding !== when.not;
}

/** Tells whether a member with this value differs in meaning from none. Defaults, null and empty lists do not. */
export function differsFromAbsent(kind: ResourceKind, { tokens, value }: Pick<Place, "tokens" | "value">): boolean {
  return Object.keys(kind.comparable({ [tokens.at(-1) ?? ""]: value })).length > 0;
}

/** A record of an archive, and the write-only members that it may have had. */
export interface WriteOnlyMembers {
  readonly kind: KindName;
  readonly id: string;
  readonly name: string;
  readonly members: readonly string[];
}

/** Returns the write-only members that neither the archive nor the secrets file gives for this record. */
export function missingWriteOnly(
  { writeOnly }: ResourceKind,
  body: JsonObject,
  supplied: ReadonlySet<string> = new Set(),
): readonly WriteOnlyField[] {
  return writeOnly.filter(({ path, when }) => {
    if (when !== undefined && !when(body)) return false;
    return !supplied.has(`/${path}`) && valueAtTokens(body, [path]) === undefined;
  });
}

export function kindsWithWriteOnly(): KindName[] {
  return kinds.flatMap(({ name, writeOnly }) => (writeOnly.length > 0 ? name : []));
}

/** Lists the records that may have had write-only values, which a backup lacks. No answer tells whether these values were set. */
export function writeOnlyMembersOf(records: readonly StackRecord[]): WriteOnlyMembers[] {
  return records.flatMap(({ kind: kindName, id, name, body }) => {
    const kind = findKind(kindName);
    const members = kind === undefined ? [] : missingWriteOnly(kind, body).map(({ path }) => path);
    return members.length === 0 ? [] : [{ kind: kindName, id, name, members }];
  });
}
