import type { StackRecord } from "../core/records/record.ts";
import type { FindRecord } from "../core/resource-kind.ts";
import { findKind } from "./registry.ts";

/** What people call a record: its name, or where it has none, what it is about. Empty where neither is known. */
export function calledOf({ kind, name, body }: StackRecord, find: FindRecord): string {
  return name.trim() === "" ? (findKind(kind)?.calledAfter?.(body, find) ?? "") : name;
}
