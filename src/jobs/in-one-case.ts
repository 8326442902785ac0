import type { StackRecord } from "../domain/record.ts";
import { findKind } from "../kinds/registry.ts";
import { foldIds } from "./known-ids.ts";
import { findReferences } from "./references.ts";

/**
 * Some stacks answer the id of a record now in lower and now in upper case. Where all that refers to records is in lower
 * case, so is what this makes of a record's own id; a stack that writes upper case throughout is taken at its word.
 */
export function inOneCase(records: readonly StackRecord[]): (record: StackRecord) => StackRecord {
  const changing = records.filter(({ id }) => foldIds(id) !== id);
  if (changing.length === 0) return (record) => record;
  const used = records.flatMap(({ kind: name, body }) => {
    const kind = findKind(name);
    return kind ? findReferences(kind, body, new Map()).map(({ id }) => id) : [];
  });
  const isLower = used.some((id) => /[a-f]/.test(id)) && used.every((id) => foldIds(id) === id);
  if (!isLower) return (record) => record;
  return (record) => {
    const id = foldIds(record.id);
    return id === record.id ? record : { ...record, id, body: { ...record.body, id } };
  };
}
