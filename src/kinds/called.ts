import type { StackRecord } from "../core/records/record.ts";
import type { FindRecord } from "../core/resource-kind.ts";
import { findKind } from "./registry.ts";

/** Bodies are read for the display names of at most this many unnamed records. Nobody reads a longer list. */
export const MAX_CALLED = 1000;

/** Returns the display name of a record: its name, or else the thing that it is about. Empty if neither is known. */
export function calledOf({ kind, name, body }: StackRecord, find: FindRecord): string {
  return name.trim() === "" ? (findKind(kind)?.calledAfter?.(body, find) ?? "") : name;
}

/** Returns the display name of an unnamed record as a member to add; nothing for a record with a name. */
export function calledInstead(record: StackRecord, find: FindRecord): { readonly called?: string } {
  const called = record.name.trim() === "" ? calledOf(record, find) : "";
  return called === "" ? {} : { called };
}
