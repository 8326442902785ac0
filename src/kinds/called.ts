import type { StackRecord } from "../core/records/record.ts";
import type { FindRecord } from "../core/resource-kind.ts";
import { findKind } from "./registry.ts";

/** Where a record has no name, a body is read for what people call it. Nobody reads a list of more than so many. */
export const MAX_CALLED = 1000;

/** What people call a record: its name, or where it has none, what it is about. Empty where neither is known. */
export function calledOf({ kind, name, body }: StackRecord, find: FindRecord): string {
  return name.trim() === "" ? (findKind(kind)?.calledAfter?.(body, find) ?? "") : name;
}

/** What people call a record that has no name, as a member to add; nothing for one that has. */
export function calledInstead(record: StackRecord, find: FindRecord): { readonly called?: string } {
  const called = record.name.trim() === "" ? calledOf(record, find) : "";
  return called === "" ? {} : { called };
}
