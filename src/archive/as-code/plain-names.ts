import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { KindName, RecordKey, StackRecord } from "../../core/records/record.ts";
import { recordKey } from "../../core/records/record.ts";
import type { IdSpace } from "../../core/resource-kind.ts";
import { findKind } from "../../kinds/registry.ts";
import { childName } from "./children.ts";

/** Returns the plain name of a record, which need not be unique within its kind. */
export function plainName({ kind, body }: { readonly kind: KindName; readonly body: JsonObject }): string {
  const found = findKind(kind);
  const namedBy = found?.code.namedBy;
  if (namedBy === undefined) return found?.nameOf(body) ?? "";
  return namedBy.map((member) => (typeof body[member] === "string" ? body[member] : "")).join("/");
}

/** Returns the reference to a child in a file; undefined if no record owns the id. */
export function childReference(
  space: IdSpace,
  id: string,
  owner: string | undefined,
  byKey: ReadonlyMap<RecordKey, StackRecord>,
): JsonValue | undefined {
  if (owner === undefined) return undefined;
  const holder = byKey.get(recordKey(space.split("/")[0] ?? "", owner));
  return (holder && childName(space, holder.body, id)) ?? { id };
}
