import type { StackRecord } from "../core/records/record.ts";
import type { FindRecord } from "../core/resource-kind.ts";
import { findKind } from "./registry.ts";

/** Bodies are read for the display names of at most this many unnamed records. Nobody reads a longer list. */
export const MAX_DISPLAY_NAMES = 1000;

/** Returns the display name of a record: its name, or else the thing that it is about. Empty if neither is known. */
export function displayNameOf({ kind, name, body }: StackRecord, find: FindRecord): string {
  return name.trim() === "" ? (findKind(kind)?.displayName?.(body, find) ?? "") : name;
}

/** Returns the display name of an unnamed record as a member to add; nothing for a record with a name. */
export function displayNameMember(record: StackRecord, find: FindRecord): { readonly displayName?: string } {
  const displayName = record.name.trim() === "" ? displayNameOf(record, find) : "";
  return displayName === "" ? {} : { displayName };
}
