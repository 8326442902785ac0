import type { JsonObject } from "../../core/json.ts";
import { valueAtTokens } from "../../core/records/member-path.ts";
import type { KindName, NamedRecord, StackRecord } from "../../core/records/record.ts";
import type { ResourceKind, WriteOnlyField } from "../../core/resource-kind.ts";
import { findKind, kinds } from "../registry.ts";

export interface WriteOnlyMembers extends NamedRecord {
  readonly members: readonly string[];
}

/** @param supplied JSON pointers of the members that the secrets file has */
export function missingWriteOnlyFields(
  { writeOnly }: ResourceKind,
  body: JsonObject,
  supplied: ReadonlySet<string> = new Set(),
): readonly WriteOnlyField[] {
  return writeOnly.filter(({ path, when }) => {
    if (when !== undefined && !when(body)) return false;
    return !supplied.has(`/${path}`) && valueAtTokens(body, [path]) === undefined;
  });
}

export function kindsWithWriteOnlyFields(): KindName[] {
  return kinds.flatMap(({ name, writeOnly }) => (writeOnly.length > 0 ? name : []));
}

/** No answer tells whether these members are set. */
export function writeOnlyMembersOf(records: readonly StackRecord[]): WriteOnlyMembers[] {
  return records.flatMap(({ kind: kindName, id, name, body }) => {
    const kind = findKind(kindName);
    const members = kind === undefined ? [] : missingWriteOnlyFields(kind, body).map(({ path }) => path);
    return members.length === 0 ? [] : [{ kind: kindName, id, name, members }];
  });
}
